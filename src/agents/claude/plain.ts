import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import { refusalToStart } from '../_shared/refusal.ts';
import { outcomeOfMessage } from './outcome.ts';

/**
 * The outcome of a run without any event: it printed its answer or an error as plain text, or it refused to start.
 * An answer counts only if the program also exited by itself and successfully.
 */
export function readPlain(printed: string, stderr: string, ending: Ending): RunResult | undefined {
  if (ending.kind !== 'exited') return undefined;
  if (isSignal(ending.code)) return { outcome: 'interrupted' };
  if (ending.code === 0) return printed === '' ? undefined : { outcome: 'completed', text: printed };
  const message = printed === '' ? stderr.trim() : printed;
  const outcome = outcomeOfMessage(message);
  if (outcome !== undefined) return { outcome, message };
  const refusal = printed === '' ? refusalToStart(stderr) : undefined;
  return refusal === undefined ? undefined : { outcome: 'configuration', message: refusal };
}

/** Claude Code handles signals itself: it exits with 128 plus the signal's number. */
export function isSignal(code: number): boolean {
  return code > 128 && code < 160;
}
