import type { Pulse, RecordedFact } from '../protocol/index.ts';
import { createFilePulseBus } from './adapters/file-pulses.ts';
import { type Followed, followLoop } from './follow-loop.ts';
import { type OwnerState, ownerStateOf } from './owner-state.ts';
import { openStore } from './stores.ts';

/** Who drives a loop right now. */
export interface SeenOwner {
  readonly state: OwnerState;
  readonly pid?: number;
}

/** What somebody who watches a loop learns. The calls come one after the other; nothing waits in between. */
export interface LoopWatcher {
  fact(fact: RecordedFact): void;
  pulse(pulse: Pulse | undefined): void;
  /** Called at the start, and whenever another process drives the loop or its process changes its state. */
  owner(owner: SeenOwner): void;
}

/** From where on, and until when. */
export interface WatchOptions {
  readonly afterSeq: number;
  readonly signal: AbortSignal;
}

const lookAtOwnerEveryMs = 500;

/**
 * Watches a loop, whoever drives it, without disturbing it. Ends with the loop, when the loop is removed, or when the
 * signal aborts.
 */
export async function watchLoop(
  followed: Followed,
  watcher: LoopWatcher,
  { afterSeq, signal }: WatchOptions,
): Promise<void> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  using _owner = watchOwner(followed, watcher);
  const pulses = (async () => {
    const bus = createFilePulseBus(openStore(followed));
    for await (const pulse of bus.follow(followed.loopId, { signal: both })) watcher.pulse(pulse);
  })();
  try {
    for await (const fact of followLoop(followed, { afterSeq, signal })) watcher.fact(fact);
  } finally {
    over.abort();
    await pulses;
  }
}

function watchOwner({ root, loopId }: Followed, watcher: LoopWatcher): Disposable {
  const store = openStore({ root });
  let last = '';
  const look = () => {
    const owner = store.has(loopId) ? store.owner(loopId) : undefined;
    const seen = { state: ownerStateOf(owner), ...(owner && { pid: owner.pid }) };
    const mark = JSON.stringify(seen);
    if (mark !== last) watcher.owner(seen);
    last = mark;
  };
  look();
  const timer = setInterval(look, lookAtOwnerEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
