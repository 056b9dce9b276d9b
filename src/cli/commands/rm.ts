import path from 'node:path';
import { type RemovalReport, removeWholeLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd rm`: removes a loop and everything stored for it. */
export async function rmCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd, env } = surroundings;
  const place = await placeFor(invocation, surroundings);
  const report = await removeWholeLoop(place, args[0] ?? '', {
    env,
    cwd,
    force: options['force'] === true,
  });
  if (options['json'] === true) stdout.write(jsonLine(report));
  else stdout.write(scrub(`${lines(report, cwd).join('\n')}\n`));
  return 0;
}

function lines({ loopId, removed, kept, ended, freedBytes }: RemovalReport, cwd: string): readonly string[] {
  return [
    ...ended,
    ...removed.map((name) => `removed: ${shortest(name, cwd)}`),
    ...kept.map(({ what, why }) => `kept: ${shortest(what, cwd)} (${why})`),
    `${loopId} is removed, ${freedBytes} bytes in total; the work is still in the working directory`,
  ];
}

function shortest(name: string, cwd: string): string {
  const relative = path.relative(cwd, name);
  return path.isAbsolute(name) && !relative.startsWith('..') ? relative : name;
}
