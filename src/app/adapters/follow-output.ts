import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, type Loop } from '../../core/index.ts';
import type { Stream } from '../../process/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import type { LoopFolders } from '../../store/index.ts';
import { followAttempt, hasOutput, type OutputPiece, readAttempt } from './attempt-output.ts';
import { createFactFeed, type FactFeed } from './fact-feed.ts';
import { createFileEventBus } from './file-event-bus.ts';

/** What is followed, and from where. */
export interface FollowedOutput {
  /** The loop at the time when its attempts were listed. */
  readonly loop: Loop;
  /** The attempts to show up to then, in order. */
  readonly attempts: readonly AttemptKey[];
  readonly stream: Stream;
  readonly signal: AbortSignal;
}

/** How often to check whether a paused loop still has an owner. */
const ownerCheckMs = 250;

/**
 * What agents print in the given attempts and all later ones, whichever process runs the loop. Ends when the loop ends, or
 * when it is paused and no process runs it.
 */
export async function* followOutput(folders: LoopFolders, followed: FollowedOutput): AsyncGenerator<OutputPiece> {
  const { loop, attempts, stream } = followed;
  const place = folders.place(loop.id);
  const stop = new AbortController();
  const signal = AbortSignal.any([followed.signal, stop.signal]);
  const { current } = loop.position;
  const live = current?.stage === 'executing' ? current : undefined;
  const isBegun = current?.stage === 'begun';
  try {
    const bus = createFileEventBus(folders).follow(loop.id, { afterSeq: loop.journal.seq, signal });
    const facts = createFactFeed(bus[Symbol.asyncIterator]());
    let last: AttemptKey = { iteration: 0, attempt: 0 };
    for (const key of attempts) {
      if (isAfter(key, loop.position) || (isBegun && isSame(key, current))) continue;
      last = key;
      const isLive = live !== undefined && isSame(key, live);
      yield* isLive ? followAttempt(place, { ...key, stream, facts, signal }) : readAttempt(place, key, stream);
    }
    if (isTerminal(loop.status)) return;
    let isPaused = loop.status === 'paused';
    for (;;) {
      const fact = await nextFact(facts, isPaused ? () => !isDriven(folders, loop.id) : undefined);
      if (fact === undefined) return;
      isPaused = fact.type === 'loop.paused' || (isPaused && !continuesLoop(fact));
      if ((fact.type !== 'agent.started' && fact.type !== 'agent.finished') || !isAfter(fact.data, last)) continue;
      last = { iteration: fact.data.iteration, attempt: fact.data.attempt };
      if (fact.type === 'agent.started') yield* followAttempt(place, { ...last, stream, facts, signal });
      // Its owner died before it could record the start, and another one adopted the agent.
      else if (hasOutput(place, last)) yield* readAttempt(place, last, stream);
    }
  } finally {
    stop.abort();
  }
}

/** The next fact, unless the loop is paused and no process runs it. */
async function nextFact(facts: FactFeed, isAtRest: (() => boolean) | undefined): Promise<RecordedFact | undefined> {
  const upcoming = facts.peek();
  for (;;) {
    const wasAtRest = isAtRest?.() ?? false;
    const next = await (isAtRest === undefined ? upcoming : Promise.race([upcoming, delay(ownerCheckMs, undefined)]));
    if (next !== undefined) {
      facts.take();
      return next.done === true ? undefined : next.value;
    }
    // Checked twice, because a new owner may be taking the loop over right now.
    if (wasAtRest && isAtRest?.()) return undefined;
  }
}

function isDriven(folders: LoopFolders, loopId: string): boolean {
  const owner = folders.has(loopId) ? folders.owner(loopId) : undefined;
  return owner !== undefined && owner.liveness !== 'dead';
}

function continuesLoop({ type }: RecordedFact): boolean {
  return type === 'loop.resumed' || type === 'iteration.started' || type === 'agent.started';
}

function isSame(one: AttemptKey, other: AttemptKey | undefined): boolean {
  return one.iteration === other?.iteration && one.attempt === other.attempt;
}

function isAfter(one: AttemptKey, other: AttemptKey): boolean {
  return one.iteration > other.iteration || (one.iteration === other.iteration && one.attempt > other.attempt);
}
