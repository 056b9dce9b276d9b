import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AppContext, type Followed, findLoop, type LoopView, readLoopFacts, watchLoop } from '../../app/index.ts';
import { LoopError } from '../../base/index.ts';
import { accountedFacts } from '../../core/index.ts';
import type { LoopMessages, Pulse, RecordedFact, Standing } from '../../protocol/index.ts';
import { loopModel, type SeenOwner, takeOwner, takePulse } from '../../views/index.ts';
import { type Frame, frameOf } from '../http/event-stream.ts';
import type { ServerWords } from '../words.ts';
import { type Cursor, sentFact } from './cursor.ts';
import { createFactRing, type FactRing } from './fact-ring.ts';
import { createIterationIndex, type IterationIndex } from './iteration-index.ts';
import { addToFold, type LoopFold, startFold } from './loop-fold.ts';
import type { NamedLoop, Projects } from './projects.ts';
import { createRefresh, type Refresh } from './refresh.ts';
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

type Listener = (changed: LatestName | 'fact' | 'over') => void;

/** A part of the facts, ready to be sent, and the number of the last of them. */
interface FactPart {
  readonly frames: string;
  readonly seq: number;
}

/** How many facts are folded before others get their turn. */
const batch = 1_000;
const partBytes = 64 * 1024;

/** Opens a loop: reads all of it, then follows it until it is disposed. */
export async function openLoopFeed(parts: FeedParts): Promise<LoopFeed> {
  const { named, context } = parts;
  const { loopId, place } = named;
  const followed = { loopId, root: place.root, context };
  const read = findLoop(place, loopId);
  const index = createIterationIndex();
  let fold = startFold(loopModel(read.loop, ownerOf(read)));
  let count = 0;
  // The others change only what was read just now.
  for await (const fact of readLoopFacts(followed, 0, accountedFacts)) {
    fold = addToFold(fold, fact);
    index.take(fact);
    count += 1;
    if (count % batch === 0) await nextTurn();
  }
  const seq = Math.max(fold.seq, read.loop.journal.seq);
  return new LoopFeed(parts, { read, fold: { ...fold, seq, mark: await markAt(followed, seq) }, index });
}

/** The mark that the fact of this number has now; undefined if the journal has no such fact. */
async function markAt(followed: Followed, seq: number): Promise<string | undefined> {
  for await (const fact of readLoopFacts(followed, seq - 1)) return fact.seq === seq ? sentFact(fact).mark : undefined;
  return undefined;
}

interface Opened {
  readonly read: LoopView;
  readonly fold: LoopFold;
  readonly index: IterationIndex;
}

/** One loop as it is followed: read once and watched once, however many readers there are. */
export class LoopFeed implements Disposable {
  readonly named: NamedLoop;
  readonly #parts: FeedParts;
  readonly #index: IterationIndex;
  readonly #ring: FactRing;
  readonly #refresh: Refresh;
  readonly #check: Refresh;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<Listener>();
  readonly #latest = new Map<LatestName, Frame>();
  #read: LoopView;
  #fold: LoopFold;
  #over: LoopMessages['gone'] | undefined;
  #standingMark = '';
  #epoch: number;

  constructor(parts: FeedParts, { read, fold, index }: Opened) {
    this.named = parts.named;
    this.#parts = parts;
    this.#read = read;
    this.#fold = fold;
    this.#epoch = read.loop.journal.epoch;
    this.#index = index;
    this.#ring = createFactRing(fold.seq);
    this.#refresh = createRefresh(async () => await this.#renewStanding());
    this.#check = createRefresh(async () => await this.#endIfReplaced(this.#fold));
    void this.#watch();
  }

  /** Everything that is known of the loop. */
  get fold(): LoopFold {
    return this.#fold;
  }

  /** Why there will be nothing more; undefined while there may be. */
  get over(): LoopMessages['gone'] | undefined {
    return this.#over;
  }

  /** From which fact on the journal tells everything about an iteration. */
  since(iteration: number): number | undefined {
    return this.#index.since(iteration);
  }

  /** The newest message of a kind. */
  latest(name: LatestName): Frame | undefined {
    return this.#latest.get(name);
  }

  /** Where the loop stands now. */
  async standing(): Promise<Standing> {
    const { problems, folder } = this.#read;
    const nowMs = this.#parts.nowMs();
    return await standingOf(this.#fold.model, { ...this.#parts, nowMs, problems, folder });
  }

  /** The facts after a number, a part at a time: from memory for those who keep up, otherwise from the disk. */
  async *factsAfter(seq: number): AsyncGenerator<FactPart> {
    let sent = seq;
    while (sent < this.#fold.seq) {
      const recent = this.#ring.after(sent);
      const parts = recent === undefined ? inParts(readLoopFacts(this.#followed(), sent), this.#fold.seq) : [recent];
      for await (const part of parts) {
        yield part;
        sent = part.seq;
      }
    }
  }

  /** Whether what a reader knows is still a part of this loop's history. */
  async continues({ seq, mark }: Cursor): Promise<boolean> {
    if (seq > this.#fold.seq) return false;
    if (mark === undefined) return true;
    return mark === (seq === this.#fold.seq ? this.#fold.mark : await markAt(this.#followed(), seq));
  }

  listen(listener: Listener): Disposable {
    this.#listeners.add(listener);
    this.#refresh.soon();
    this.#check.soon();
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    this.#refresh[Symbol.dispose]();
    this.#check[Symbol.dispose]();
    this.#stop.abort();
  }

  async #watch(): Promise<void> {
    const { named } = this;
    const watcher = {
      fact: (fact: RecordedFact) => this.#takeFact(fact),
      pulse: (pulse: Pulse | undefined) => this.#takePulse(pulse),
      owner: (owner: SeenOwner) => this.#takeOwner(owner),
    };
    try {
      await watchLoop(this.#followed(), watcher, { afterSeq: this.#fold.seq, signal: this.#stop.signal });
      await this.#refresh.now();
      this.#end(isThere(named) ? ended : removed);
    } catch (error) {
      this.#end(isThere(named) ? { why: 'unreadable', message: messageOf(error) } : removed);
    }
  }

  #followed() {
    return { loopId: this.named.loopId, root: this.named.place.root, context: this.#parts.context };
  }

  #takeFact(fact: RecordedFact): void {
    if (fact.seq <= this.#fold.seq) return this.#end(restored);
    // The next owner may have begun before the last fact that was sent, and still continue with a greater number.
    if (fact.epoch !== this.#epoch) this.#endIfReplaced(this.#fold).catch(() => {});
    this.#epoch = fact.epoch;
    const { frame, mark } = sentFact(fact);
    this.#fold = addToFold(this.#fold, fact, mark);
    this.#index.take(fact);
    this.#ring.add(fact.seq, frame);
    this.#announce('fact');
    this.#refresh.soon();
  }

  #takePulse(pulse: Pulse | undefined): void {
    this.#fold = { ...this.#fold, model: takePulse(this.#fold.model, pulse) };
    this.#set('pulse', pulse ?? null);
  }

  /** An owner that leaves has written its last fact before, which may not have arrived here yet. */
  #takeOwner(seen: SeenOwner): void {
    this.#read = readOr(this.#read, () => findLoop(this.named.place, this.named.loopId));
    const { model } = this.#fold;
    const owner = lastKnown(seen, model.owner);
    this.#fold = { ...this.#fold, model: takeOwner(model, owner, this.#read.loop) };
    this.#set('owner', owner);
    this.#refresh.soon();
    this.#check.soon();
  }

  /** Ends the feed if the journal no longer has a fact that was sent. */
  async #endIfReplaced({ seq, mark }: Cursor): Promise<void> {
    const { named } = this;
    const now = await markAt(this.#followed(), seq);
    if (now !== mark) this.#end(isThere(named) ? restored : removed);
  }

  async #renewStanding(): Promise<void> {
    const standing = await this.standing();
    const mark = JSON.stringify({ ...standing, nowMs: 0 });
    if (mark !== this.#standingMark) this.#set('standing', standing);
    this.#standingMark = mark;
  }

  #set(name: LatestName, data: unknown): void {
    this.#latest.set(name, frameOf(name, data));
    this.#announce(name);
  }

  #end(gone: LoopMessages['gone']): void {
    this.#over ??= gone;
    this.#stop.abort();
    this.#announce('over');
  }

  #announce(changed: Parameters<Listener>[0]): void {
    for (const listener of this.#listeners) listener(changed);
  }
}

const ended = { why: 'over', message: 'The loop has ended.' } as const;
const removed = { why: 'removed', message: 'The loop was removed.' } as const;
/** Its facts are no longer those that were sent. */
export const restored = { why: 'restored', message: 'The loop was restored to an earlier state.' } as const;

async function* inParts(facts: AsyncIterable<RecordedFact>, lastSeq: number): AsyncGenerator<FactPart> {
  let frames = '';
  let seq = 0;
  for await (const fact of facts) {
    if (fact.seq > lastSeq) break;
    frames += sentFact(fact).frame;
    seq = fact.seq;
    if (frames.length < partBytes) continue;
    yield { frames, seq };
    frames = '';
  }
  // What lies between is no fact of the loop.
  yield { frames, seq: lastSeq };
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
