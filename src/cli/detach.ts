import type { DrivenLoop, LoopPlace } from '../app/index.ts';
import { scrub } from '../base/index.ts';
import { follow } from './follow.ts';
import { backgroundLines, backgroundObject } from './output/background-lines.ts';
import { paintFor } from './output/paint.ts';
import { printProblems } from './output/problems.ts';
import type { Invocation } from './parse.ts';
import type { Surroundings } from './surroundings.ts';

/** Whether a command line is to leave its loop to a process in the background. */
export function detaches({ options }: Invocation, { background }: Surroundings): boolean {
  return options['detach'] === true && background === undefined;
}

/** Leaves a loop to a process in the background: returns when that process runs it. */
export async function detach(
  { options }: Invocation,
  surroundings: Surroundings,
  { place, loopId }: { readonly place: LoopPlace; readonly loopId?: string },
): Promise<number> {
  const { stdout, stderr, cwd } = surroundings;
  const { startBackground } = await import('./background.ts');
  const loop = await startBackground(surroundings, place, loopId);
  if (options['json'] === true) {
    stdout.write(backgroundObject(loop));
    return 0;
  }
  for (const message of loop.warnings) stderr.write(`${paintFor(stderr).warn(`! ${scrub(message)}`)}\n`);
  stdout.write(`${backgroundLines(loop, cwd, paintFor(stdout)).join('\n')}\n`);
  return 0;
}

/** Runs a loop in this process and shows it; in the background, that goes to the log as plain text. */
export async function runHere(
  driven: DrivenLoop,
  { options }: Invocation,
  surroundings: Surroundings,
): Promise<number> {
  using _problems = printProblems(driven, surroundings);
  const { background } = surroundings;
  if (background !== undefined) await (await import('./background.ts')).settleInBackground(driven, surroundings);
  return await follow(driven, surroundings, { asJson: options['json'] === true && background === undefined });
}
