import type { Ending } from '../../protocol/index.ts';
import type { Said } from '../_shared/account.ts';
import { refusalToStart } from '../_shared/refusal.ts';
import { outcomeOfWords } from './outcome.ts';

/**
 * What a run without any event means: it printed its answer as plain text, or an error in its place, or it refused to
 * start. An answer counts only when the program also ended by itself and well.
 */
export function readPlain(printed: string, stderr: string, ending: Ending): Said | undefined {
  if (ending.kind !== 'exited') return undefined;
  if (isSignal(ending.code)) return { outcome: 'interrupted' };
  if (ending.code === 0) return printed === '' ? undefined : { outcome: 'completed', text: printed };
  const words = printed === '' ? stderr.trim() : printed;
  const outcome = outcomeOfWords(words);
  if (outcome !== undefined) return { outcome, message: words };
  const refusal = printed === '' ? refusalToStart(stderr) : undefined;
  return refusal === undefined ? undefined : { outcome: 'configuration', message: refusal };
}

/** Claude Code takes signals itself: it ends with 128 and the signal's number. */
export function isSignal(code: number): boolean {
  return code > 128 && code < 160;
}
