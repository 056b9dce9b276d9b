import { collectGarbage, type GarbageReport, placeOf } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd gc`: removes files that ended loops no longer need. */
export async function gcCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options } = invocation;
  const { config } = await settingsFor(invocation, surroundings);
  const report = await collectGarbage(placeOf(config, projectFolder(invocation, surroundings)), {
    dryRun: options['dry-run'] === true,
    loops: options['loops'] === true,
    nowMs: Date.now(),
    env: surroundings.env,
    cwd: surroundings.cwd,
  });
  const { stdout } = surroundings;
  if (options['json'] === true) stdout.write(jsonLine(report));
  else stdout.write(scrub(`${lines(report).join('\n')}\n`));
  return 0;
}

function lines({ dryRun, removed, freedBytes, busy, kept }: GarbageReport): readonly string[] {
  const verb = dryRun ? 'would remove' : 'removed';
  const total = `${verb} ${removed.length} ${removed.length === 1 ? 'item' : 'items'}, ${freedBytes} bytes in total`;
  return [
    ...removed.map(({ path, bytes, why }) => `${verb}: ${path} (${why}, ${bytes} bytes)`),
    ...busy.map((loopId) => `skipped: ${loopId} is in use by another process`),
    ...kept.map(({ what, why }) => `kept: ${what} (${why})`),
    removed.length === 0 ? 'nothing to remove' : total,
  ];
}
