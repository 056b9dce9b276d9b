import type { Fleet, Signal } from '../../fleet/index.ts';
import type { EventBus, FollowOptions } from '../../runner/index.ts';
import { factOf, linesAtOnce } from './fleet-state.ts';

/** Facts that no signal announced are found after this long. */
const pollMs = 500;

/** The facts of the fleet's loops, read from its database. */
export function createFleetEventBus(fleet: Fleet): EventBus {
  return { follow: (loopId, options = {}) => follow(fleet, loopId, options) };
}

async function* follow(fleet: Fleet, loopId: string, { afterSeq = 0, signal }: FollowOptions) {
  using news = listenFor(fleet, loopId, signal);
  const isStopped = () => signal?.aborted === true;
  for (let last = afterSeq; !isStopped(); ) {
    const heard = news.next();
    const lines = await read(fleet, { loopId, after: last, signal });
    for (const { seq, line } of lines) {
      if (isStopped()) return;
      const fact = factOf(loopId, line);
      yield fact;
      if (fact.type === 'loop.ended') return;
      last = seq;
    }
    if (lines.length > 0) continue;
    if (await isOver(fleet, loopId, { after: last, signal })) return;
    await heard;
  }
}

async function read(
  fleet: Fleet,
  {
    loopId,
    after,
    signal,
  }: { readonly loopId: string; readonly after: number; readonly signal: AbortSignal | undefined },
) {
  try {
    return await fleet.facts(loopId, after, linesAtOnce, { signal });
  } catch (error) {
    if (signal?.aborted === true) return [];
    throw error;
  }
}

/** A loop that has ended, or is gone, gets no facts any more. */
async function isOver(
  fleet: Fleet,
  loopId: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  if (signal?.aborted === true) return true;
  const found = await fleet.glance(loopId, {});
  // Its end may have been recorded just now.
  return found === undefined || (found.status === 'ended' && found.seq <= after);
}

/** Waits for a signal about a loop, or until it is time to look anyway. */
function listenFor(fleet: Fleet, loopId: string, signal: AbortSignal | undefined) {
  let wake = () => {};
  const concerns = (news: Signal) =>
    news.kind === 'anything' || (news.kind === 'facts' && news.loopIds.includes(loopId));
  const subscription = fleet.signals.subscribe((news) => concerns(news) && wake());
  return {
    next: () =>
      new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, pollMs);
        signal?.addEventListener('abort', done, { once: true });
        wake = done;
      }),
    [Symbol.dispose]: () => {
      wake();
      subscription[Symbol.dispose]();
    },
  };
}
