import path from 'node:path';
import { assertRestartable, type DrivenLoop, type LoopPlace, type RestartSetup, setUpRestart } from '../app/index.ts';
import { failures, LoopError, scrub } from '../base/index.ts';
import type { Display } from './display.ts';
import { follow } from './follow.ts';
import { backgroundLines, backgroundObject, restartNotes } from './output/background-lines.ts';
import { printLines } from './output/fit-lines.ts';
import { paintFor } from './output/paint.ts';
import type { Invocation } from './parse.ts';
import type { Surroundings } from './surroundings.ts';

/** Whether the command line asks to run its loop in the background. */
export function detaches({ options }: Invocation, { background }: Surroundings): boolean {
  const isWanted = options['detach'] === true;
  if (options['restart'] === true && !isWanted)
    throw new LoopError(failures.optionNeedsOption('--restart', '--detach'));
  return isWanted && background === undefined;
}

/** Starts the loop in a background process and returns once it runs there. */
export async function detach(
  { options }: Invocation,
  surroundings: Surroundings,
  { place, loopId }: { readonly place: LoopPlace; readonly loopId?: string },
): Promise<number> {
  const { stdout, stderr, cwd, env } = surroundings;
  if (options['restart'] === true) assertRestartable({ cwd, place, env });
  const { startBackground } = await import('./background.ts');
  const loop = await startBackground(surroundings, place, loopId);
  const restart =
    options['restart'] === true ? await restartOf(loop.loopId, place, { options, surroundings }) : undefined;
  if (options['json'] === true) {
    stdout.write(backgroundObject(loop, restart));
    return 0;
  }
  for (const message of [...loop.warnings, ...(restart === undefined ? [] : restartNotes(restart))]) {
    printLines(stderr, [paintFor(stderr).warn(`! ${scrub(message)}`)]);
  }
  printLines(stdout, backgroundLines({ ...loop, restart }, cwd, paintFor(stdout)));
  return 0;
}

async function restartOf(
  loopId: string,
  place: LoopPlace,
  { options, surroundings }: Pick<Invocation, 'options'> & { readonly surroundings: Surroundings },
): Promise<RestartSetup> {
  const { cwd, env, program } = surroundings;
  const file = options['config'];
  const config = typeof file === 'string' ? ['--config', path.resolve(cwd, file)] : [];
  const command = [...program, 'resume', loopId, '--unattended', '--state-dir', place.root, ...config];
  return await setUpRestart({ loopId, place, cwd, env, command });
}

/** Runs the loop in this process and shows it; in the background, the output goes to the log as plain text. */
export async function runHere(driven: DrivenLoop, display: Display, surroundings: Surroundings): Promise<number> {
  const { background } = surroundings;
  if (background === undefined) return await follow(driven, surroundings, display);
  const { settleInBackground, withoutOutput } = await import('./background.ts');
  await settleInBackground(driven, surroundings);
  // The log is not encrypted.
  const shown = driven.isEncrypted ? withoutOutput(surroundings, driven.drive.loop.id) : surroundings;
  return await follow(driven, shown, { ...display, asJson: false });
}
