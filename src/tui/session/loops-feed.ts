import { type LoopStatus, listStatuses } from '../../app/index.ts';
import type { LoopError } from '../../base/index.ts';
import type { ScreenSetting } from './setting.ts';

/** The loops of the project, read again and again. */
export interface LoopsFeed extends Disposable {
  readonly loops: readonly LoopStatus[];
  readonly unreadable: readonly { readonly loopId: string; readonly why: string }[];
  /** Whether they have been read at least once. */
  readonly isRead: boolean;
  /** Reads often while the list is on the screen, and rarely otherwise. */
  watchClosely(isClose: boolean): void;
}

const closeMs = 1_000;
const farMs = 15_000;
/** Reading takes at most this share of a core, however many loops there are. */
const maxShare = 0.01;

/** Reads the loops and calls back when they have changed. */
export function followLoops({ place }: Pick<ScreenSetting, 'place'>, changed: () => void): LoopsFeed {
  let loops: readonly LoopStatus[] = [];
  let unreadable: LoopsFeed['unreadable'] = [];
  let isRead = false;
  let isClose = false;
  let isClosed = false;
  let mark = '';
  let timer: NodeJS.Timeout | undefined;
  const read = async () => {
    const startedAt = performance.now();
    const found = await listStatuses(place);
    const next = JSON.stringify(
      found.loops.map(({ view, ownerState, shownStatus }) => [view, ownerState, shownStatus]),
    );
    loops = found.loops;
    unreadable = found.unreadable.map(({ loopId, error }) => ({ loopId, why: messageOf(error) }));
    const isNew = next !== mark || !isRead;
    mark = next;
    isRead = true;
    if (isNew && !isClosed) changed();
    return performance.now() - startedAt;
  };
  const plan = (tookMs: number) => {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(again, Math.max(isClose ? closeMs : farMs, tookMs / maxShare));
    timer.unref();
  };
  const again = () => {
    // The state folder may be gone for a moment, or for good.
    read().then(plan, () => plan(closeMs));
  };
  // After the first frame: the loop that is shown does not wait for the others.
  timer = setTimeout(again);
  return {
    get loops() {
      return loops;
    },
    get unreadable() {
      return unreadable;
    },
    get isRead() {
      return isRead;
    },
    watchClosely(next) {
      if (next === isClose || isClosed) return;
      isClose = next;
      clearTimeout(timer);
      timer = setTimeout(again, isClose ? 0 : farMs);
    },
    [Symbol.dispose]: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function messageOf(error: LoopError): string {
  return error.failure.message;
}
