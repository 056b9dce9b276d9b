import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import type { AgentEvent } from '../_shared/event.ts';
import type { WallClock } from '../_shared/reset-words.ts';
import { readCodexError, readRetry } from './error.ts';

/** What is known about a run apart from its stderr. */
export interface CodexRun {
  readonly ending: Ending;
  readonly isTurnOpen: boolean;
  /** What it printed instead of events. */
  readonly answer: RunResult | undefined;
  readonly clock: WallClock;
}

const refusals =
  /^error: (?!.*\b(?:os error|panicked)\b)|^not inside a trusted directory|^no prompt provided|no (?:rollout|thread|session) (?:found|with)/i;

/** The outcome of a run without a result or an error: a refusal to start, text mode, or a run that was cut off. */
export function readCodexStderr(
  stderr: string,
  { ending, isTurnOpen, answer, clock }: CodexRun,
): RunResult | undefined {
  if (ending.kind === 'signalled') return undefined;
  if (isTurnOpen) return { outcome: 'interrupted' };
  if (answer !== undefined) return answer;
  const lines = stderr.split('\n').map((line) => line.trim());
  // Without `--json` it prints its errors here.
  const errors = lines.flatMap((line) => /^ERROR: (.+)/.exec(line)?.[1] ?? []);
  const last = errors.findLast((message) => readRetry(message) === undefined);
  if (last !== undefined) return readCodexError(last, clock);
  const refusal = lines.find((line) => refusals.test(line));
  if (refusal === undefined) return undefined;
  const isAuth = readCodexError(refusal, clock).outcome === 'auth';
  return { outcome: isAuth ? 'auth' : 'configuration', message: refusal };
}

/** A patch that the sandbox or the user's settings forbid is reported on stderr alone. */
export function deniedPatches(stderr: string): readonly AgentEvent[] {
  const denials = stderr.match(/^.*\berror=patch rejected\b.*$/gim) ?? [];
  return denials.map(() => ({ type: 'permission_denied', tool: 'apply_patch' }));
}
