import { assertStartable, placeToStart, startLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { mustAsk, notSupervised } from '../../core/index.ts';
import { assertCanAsk } from '../can-ask.ts';
import { detach, detaches, runHere } from '../detach.ts';
import { displayOf } from '../display.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { contextWithConsent } from '../trust/consent.ts';

/** `ralphd run`: starts a loop and runs it to its end. */
export async function runCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const [task] = args;
  const display = displayOf(invocation);
  assertNoConflict(options, task);
  const more = task === undefined ? {} : { prompt: task };
  const { config, provenance, isGiven, locate, brought } = await settingsFor(invocation, surroundings, more);
  const isChosen = (path: string) => ['flag', 'env'].includes(provenance[path]?.source ?? '');
  const chosen = Object.keys(provenance).filter(isChosen);
  const discardState = options['discard-state'] === true;
  const request = { force: options['force'] === true, discardState, isGiven, chosen, locate, brought };
  if (mustAsk({ config, supervision: notSupervised })) assertCanAsk(invocation, surroundings);
  const context = contextWithConsent(invocation, surroundings);
  if (detaches(invocation, surroundings)) {
    await assertStartable(config, context, request);
    return await detach(invocation, surroundings, { place: placeToStart(config, surroundings.cwd) });
  }
  await using driven = await startLoop(config, context, request);
  return await runHere(driven, display, surroundings);
}

/** Options that contradict each other. */
function assertNoConflict(options: Invocation['options'], task: string | undefined): void {
  const given = { ...options, ...(task === undefined ? {} : { TASK: task }) };
  const conflicts = [
    ['TASK', 'prompt'],
    ['TASK', 'prompt-file'],
    ['no-promise', 'completion-promise'],
  ] as const;
  const conflict = conflicts.find((names) => names.every((name) => name in given));
  if (conflict === undefined) return;
  const [first, second] = conflict.map((name) => (name === 'TASK' ? 'the TASK argument' : `--${name}`));
  throw new LoopError(failures.conflictingOptions(first ?? '', second ?? ''));
}
