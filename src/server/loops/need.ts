import { findLoop, type LoopStatus } from '../../app/index.ts';
import { LoopError } from '../../base/index.ts';
import { explain } from '../../core/index.ts';
import type { LoopRow } from '../../protocol/index.ts';
import { type LoopState, stateLooks } from '../../views/index.ts';
import type { ServerWords } from '../words.ts';
import type { ServedProject } from './projects.ts';
import { withRequests } from './requests-of.ts';

/** Why a loop needs a person, and the one thing to do; undefined if it does not. */
export function needOf(
  status: LoopStatus,
  state: LoopState,
  { served, words, nowMs }: { readonly served: ServedProject; readonly words: ServerWords; readonly nowMs: number },
): LoopRow['need'] {
  if (stateLooks[state].group !== 'needs you') return undefined;
  const { view, owner, shownStatus } = status;
  if (state === 'frozen') {
    const pid = owner?.pid ?? '';
    return { cause: `Process ${pid} is stopped.`, command: `kill -CONT ${pid}`, does: 'let the process continue' };
  }
  try {
    const { loop } = findLoop(served.place, view.id);
    const explanation = explain(loop, { nowMs, shownStatus });
    const { headline, next } = words.explain(explanation, loop);
    const [first] = withRequests(next, explanation.next);
    const look = { command: `ralphd explain ${view.id}`, does: 'see why' };
    return { cause: headline, ...(first ?? look) };
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return { cause: error.message, command: `ralphd status ${view.id}`, does: 'see the details' };
  }
}
