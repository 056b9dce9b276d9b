import { orLost, placeOf, type RecoverReport, recoverLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd recover`: rebuilds a loop's state and reports what was found. */
export async function recoverCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { config } = await settingsFor(invocation, surroundings);
  const { stdout, env } = surroundings;
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const request = { dryRun: options['dry-run'] === true, markCrashed: options['mark-crashed'] === true };
  const report = await orLost(() => recoverLoop(place, args[0], request), { place, env, query: args[0] });
  if (options['json'] === true) stdout.write(jsonLine(report));
  else stdout.write(`${lines(report, surroundings).join('\n')}\n`);
  return 0;
}

function lines(report: RecoverReport, { stdout }: Surroundings): readonly string[] {
  const { loopId, dryRun, status, iteration, lastSeq, source, problems, done } = report;
  const paint = paintFor(stdout);
  const steps = done.map((step) => `  ${dryRun ? 'planned: ' : ''}${scrub(step)}`);
  return [
    `${paint.bold(loopId)}: ${status} at iteration ${iteration}, ${lastSeq} journal entries, rebuilt from the ${source.kind}`,
    ...problems.map((problem) => paint.warn(`  ! ${scrub(problem)}`)),
    ...(steps.length === 0 ? [paint.good('  nothing to do')] : steps),
  ];
}
