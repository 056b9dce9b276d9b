import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AppContext, findLoop, type LoopView, readLoopFacts, watchLoop } from '../../app/index.ts';
import { LoopError } from '../../base/index.ts';
import type { LoopMessages, RecordedFact, Standing } from '../../protocol/index.ts';
import { loopModel, type SeenOwner, takeOwner, takePulse } from '../../views/index.ts';
import { type Frame, frameOf } from '../http/event-stream.ts';
import type { ServerWords } from '../words.ts';
import { createFactRing } from './fact-ring.ts';
import { createIterationIndex } from './iteration-index.ts';
import { addToFold, type LoopFold, startFold } from './loop-fold.ts';
import type { NamedLoop, Projects } from './projects.ts';
import { standingOf } from './standing.ts';

/** What a feed is made from. */
export interface FeedParts {
  readonly named: NamedLoop;
  readonly projects: Projects;
  readonly words: ServerWords;
  readonly context: AppContext;
  readonly nowMs: () => number;
}

/** The messages of which only the newest matters. */
export type LatestName = 'standing' | 'pulse' | 'owner';

/** One loop as it is followed: read once and watched once, however many readers there are. */
export interface LoopFeed extends Disposable {
  readonly named: NamedLoop;
  readonly fold: LoopFold;
  /** From which fact on the journal tells everything about an iteration. */
  since(iteration: number): number | undefined;
  /** Why there will be nothing more; undefined while there may be. */
  readonly over: LoopMessages['gone'] | undefined;
  /** Facts after a number, a part at a time. */
  factsAfter(seq: number): AsyncGenerator<{ readonly frames: string; readonly seq: number }>;
  latest(name: LatestName): Frame | undefined;
  standing(): Promise<Standing>;
  listen(listener: (changed: LatestName | 'fact' | 'over') => void): Disposable;
}

/** How many facts are folded before others get their turn. */
const batch = 1_000;
const partBytes = 64 * 1024;

/** Opens a loop: reads all of it, then follows it until it is disposed. */
export async function openLoopFeed(parts: FeedParts): Promise<LoopFeed> {
  const { named, context } = parts;
  const { loopId, place } = named;
  const followed = { loopId, root: place.root, context };
  let read = findLoop(place, loopId);
  let fold = startFold(loopModel(read.loop, ownerOf(read)));
  const index = createIterationIndex();
  let count = 0;
  for await (const fact of readLoopFacts(followed, 0)) {
    fold = addToFold(fold, fact);
    index.take(fact);
    count += 1;
    if (count % batch === 0) await nextTurn();
  }
  const ring = createFactRing(fold.seq);
  const stop = new AbortController();
  const listeners = new Set<Parameters<LoopFeed['listen']>[0]>();
  const latest = new Map<LatestName, Frame>();
  let over: LoopFeed['over'];
  const announce = (changed: Parameters<Parameters<LoopFeed['listen']>[0]>[0]) => {
    for (const listener of listeners) listener(changed);
  };
  const standing = async () => {
    const { problems, folder } = read;
    return await standingOf(fold.model, { ...parts, nowMs: parts.nowMs(), problems, folder });
  };
  let mark = '';
  const refresh = createRefresh(async () => {
    const now = await standing();
    const next = JSON.stringify({ ...now, nowMs: 0 });
    if (next !== mark) set('standing', now);
    mark = next;
  });
  const set = (name: LatestName, data: unknown) => {
    latest.set(name, frameOf(name, data));
    announce(name);
  };
  const end = (gone: LoopMessages['gone']) => {
    over ??= gone;
    stop.abort();
    announce('over');
  };
  const watcher = {
    fact(fact: RecordedFact) {
      if (fact.seq <= fold.seq) return end(restored);
      fold = addToFold(fold, fact);
      index.take(fact);
      ring.add(fact.seq, frameOf('fact', fact, fact.seq));
      announce('fact');
      refresh.soon();
    },
    pulse(pulse: Parameters<typeof takePulse>[1]) {
      fold = { ...fold, model: takePulse(fold.model, pulse) };
      set('pulse', pulse ?? null);
    },
    // An owner that leaves has written its last fact before, which may not have arrived here yet.
    owner(owner: SeenOwner) {
      read = readOr(read, () => findLoop(place, loopId));
      fold = { ...fold, model: takeOwner(fold.model, lastKnown(owner, fold.model.owner), read.loop) };
      set('owner', fold.model.owner);
      refresh.soon();
    },
  };
  const watch = async () => {
    try {
      await watchLoop(followed, watcher, { afterSeq: fold.seq, signal: stop.signal });
      await refresh.now();
      end(isThere(named) ? ended : removed);
    } catch (error) {
      end(isThere(named) ? { why: 'unreadable', message: messageOf(error) } : removed);
    }
  };
  void watch();
  return {
    named,
    get fold() {
      return fold;
    },
    get over() {
      return over;
    },
    since: index.since,
    async *factsAfter(seq) {
      let sent = seq;
      while (sent < fold.seq) {
        const recent = ring.after(sent);
        if (recent === undefined) {
          for await (const part of inParts(readLoopFacts(followed, sent), fold.seq)) {
            yield part;
            sent = part.seq;
          }
          continue;
        }
        yield recent;
        sent = recent.seq;
      }
    },
    latest: (name) => latest.get(name),
    standing,
    listen(listener) {
      listeners.add(listener);
      refresh.soon();
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => {
      refresh[Symbol.dispose]();
      stop.abort();
    },
  };
}

const ended = { why: 'over', message: 'The loop has ended.' } as const;
const removed = { why: 'removed', message: 'The loop was removed.' } as const;
/** Its facts are no longer those that were sent. */
export const restored = { why: 'restored', message: 'The loop was restored to an earlier state.' } as const;

async function* inParts(facts: AsyncIterable<RecordedFact>, lastSeq: number) {
  let frames = '';
  let seq = 0;
  for await (const fact of facts) {
    if (fact.seq > lastSeq) break;
    frames += frameOf('fact', fact, fact.seq);
    seq = fact.seq;
    if (frames.length < partBytes) continue;
    yield { frames, seq };
    frames = '';
  }
  if (frames !== '') yield { frames, seq };
}

const refreshMs = 150;

/** Carries out an action soon after it was asked for, once for many requests, and never twice at a time. */
function createRefresh(action: () => Promise<void>): Disposable & { soon(): void; now(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;
  const now = async () => {
    await running;
    running = action().finally(() => {
      running = undefined;
    });
    // A loop that cannot be read for a moment keeps its last standing.
    await running.catch(() => {});
  };
  const soon = () => {
    if (isOver) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void now();
    }, refreshMs);
  };
  return {
    soon,
    now,
    [Symbol.dispose]: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

function ownerOf({ owner, ownerState }: LoopView): SeenOwner {
  return { state: ownerState, ...(owner && { pid: owner.pid, since: owner.since }) };
}

/** A dead owner keeps its process id. */
function lastKnown(seen: SeenOwner, before: SeenOwner): SeenOwner {
  return seen.pid === undefined && before.pid !== undefined ? { ...seen, pid: before.pid } : seen;
}

function readOr(before: LoopView, read: () => LoopView): LoopView {
  try {
    return read();
  } catch (error) {
    if (error instanceof LoopError) return before;
    throw error;
  }
}

function isThere({ place, loopId }: NamedLoop): boolean {
  try {
    return findLoop(place, loopId).loop.id === loopId;
  } catch (error) {
    return !(error instanceof LoopError && error.code === 'LOOP_NOT_FOUND');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
