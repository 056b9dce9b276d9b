import type { Pulse, RecordedFact } from '../protocol/index.ts';
import type { LoopOnDisk } from '../store/index.ts';
import type { SeenOwner } from '../views/index.ts';
import { createFilePulseBus } from './adapters/file-pulses.ts';
import { type Followed, followLoop } from './follow-loop.ts';
import { thisMachine } from './machine.ts';
import { ownerStateOf } from './owner-state.ts';
import { openStore } from './stores.ts';

/** Callbacks for a watched loop, called one after the other and never awaited. */
export interface LoopWatcher {
  fact(fact: RecordedFact): void;
  pulse(pulse: Pulse | undefined): void;
  /** Called at the start, and whenever the process that runs the loop or its state changes. */
  owner(owner: SeenOwner): void;
}

/** Where to start, and when to stop. */
export interface WatchOptions {
  readonly afterSeq: number;
  readonly signal: AbortSignal;
}

const ownerPollMs = 500;
const pollsPerNote = 2;

/**
 * Watches a loop, whichever process runs it, without disturbing it. Ends with the loop, when it is removed, or when the
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
  let owner: LoopOnDisk['owner'];
  let last = '';
  let polls = 0;
  const checkOwner = () => {
    // A process may die or stop at any moment; which one it is changes rarely, and takes longer to find out.
    const isTurn = polls % pollsPerNote === 0;
    polls += 1;
    if (owner !== undefined) owner = { ...owner, liveness: thisMachine.livenessOf(owner) };
    if (isTurn || owner?.liveness === 'dead') owner = store.has(loopId) ? store.owner(loopId) : undefined;
    const status = { state: ownerStateOf(owner), ...(owner && { pid: owner.pid, since: owner.since }) };
    const mark = JSON.stringify(status);
    if (mark !== last) watcher.owner(status);
    last = mark;
  };
  checkOwner();
  const timer = setInterval(checkOwner, ownerPollMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
