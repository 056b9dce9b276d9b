import { failures, LoopError } from '../../base/index.ts';
import { evolve, idleLoop, type Loop } from '../../core/index.ts';
import { configSchema, type Fact, type Pulse, type RecordedFact } from '../../protocol/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { LoopOwner } from '../ports/lease.ts';
import type { LoopStore, OwnedLoop, StoreTrouble } from '../ports/loop-store.ts';
import type { PulseBus, PulseSink } from '../ports/pulse-port.ts';
import { createMemoryCommandBus, createMemoryInboxes, type MemoryCommandBus } from './memory-command-bus.ts';
import { createMemoryEventBus } from './memory-event-bus.ts';
import { createMemoryPulseBus } from './memory-pulse-bus.ts';

/** How the loops behave. */
export interface MemoryLoopsOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How facts are folded; as the core does it, if left out. */
  readonly evolve?: typeof evolve;
  /** Called before facts become durable: waits for a slow disk, and rejects for one that fails. */
  readonly beforeAppend?: () => Promise<void>;
}

/** One process: what it holds is free once it is killed, even if it keeps working. */
export interface MemoryProcess {
  readonly store: LoopStore;
  readonly commands: MemoryCommandBus;
  readonly events: EventBus;
  readonly pulses: PulseBus;
  /** Where this process shows what it is doing with a loop that it owns. */
  sinkOf(loopId: string): PulseSink;
  kill(): void;
}

interface StoredFacts {
  readonly facts: RecordedFact[];
  snapshot?: Loop;
  holder?: Holder;
  pulse?: Pulse | undefined;
  epoch: number;
  /** Rises with each change. */
  version: number;
}

interface Holder {
  readonly owner: LoopOwner;
  readonly process: { readonly isKilled: boolean };
  readonly lost: AbortController;
}

type TroubleListener = Parameters<OwnedLoop['onTrouble']>[0];

const nothing = idleLoop(configSchema.parse({}));

/** Loops in memory, and the processes that share them. */
export class MemoryLoops {
  readonly troubleListeners = new Set<TroubleListener>();
  /** Woken with each change. */
  readonly watchers = new Set<() => void>();
  readonly #loops = new Map<string, StoredFacts>();
  readonly #inboxes = createMemoryInboxes();
  readonly #options: MemoryLoopsOptions;
  #trouble: StoreTrouble | undefined;
  #versions = 0;
  #processes = 0;

  constructor(options: MemoryLoopsOptions) {
    this.#options = options;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  /** Everything that is recorded of a loop. */
  factsOf(loopId: string): readonly RecordedFact[] {
    return this.#loops.get(loopId)?.facts ?? [];
  }

  /** The newest state that an owner saved. */
  snapshotOf(loopId: string): Loop | undefined {
    return this.#loops.get(loopId)?.snapshot;
  }

  /** Fills up the place where loops live, or makes room again: every owner notices. */
  setTrouble(trouble: StoreTrouble | undefined): void {
    this.#trouble = trouble;
    for (const listener of this.troubleListeners) listener(trouble);
  }

  /** Takes a loop away from its owner, as if somebody else had taken it over. */
  takeAway(loopId: string, reason: unknown): void {
    this.#loops.get(loopId)?.holder?.lost.abort(reason);
  }

  /** Waits for the disk, which may fail. */
  get beforeAppend(): MemoryLoopsOptions['beforeAppend'] {
    return this.#options.beforeAppend;
  }

  /** Another process on the same loops. */
  startProcess(): MemoryProcess {
    this.#processes += 1;
    const identity = { host: 'memory', bootId: 'boot', pid: this.#processes, startTime: String(this.#processes) };
    const process = { isKilled: false };
    const commands = createMemoryCommandBus(this.#inboxes, process);
    const hold = (loopId: string, loop: StoredFacts): OwnedLoop => {
      loop.epoch += 1;
      const owner = { ...identity, epoch: loop.epoch, since: this.#at() };
      return own(this, loop, { loopId, holder: { owner, process, lost: new AbortController() } });
    };
    return {
      commands,
      events: createMemoryEventBus({ factsOf: (loopId) => this.#find(loopId).facts, watchers: this.watchers }),
      pulses: createMemoryPulseBus({
        has: (loopId) => this.#loops.has(loopId),
        newestOf: (loopId) => newestPulse(this.#find(loopId)),
        watchers: this.watchers,
      }),
      sinkOf: (loopId) => (pulse) => {
        const loop = this.#find(loopId);
        if (loop.holder?.process !== process) return;
        loop.pulse = pulse;
        for (const wake of this.watchers) wake();
      },
      kill: () => {
        process.isKilled = true;
        for (const loop of this.#loops.values()) if (loop.holder?.process === process) this.noteChange(loop);
        commands.abandon();
      },
      store: {
        create: async (loopId) => hold(loopId, this.#create(loopId)),
        open: async (loopId) => hold(loopId, this.#takeFromDead(loopId)),
        read: async (loopId) => this.#read(loopId),
        list: async () => [...this.#loops.keys()].toSorted(),
        changesSince: async (cursor = '0') => ({
          loopIds: [...this.#loops].filter(([, { version }]) => version > Number(cursor)).map(([loopId]) => loopId),
          removed: [],
          cursor: String(this.#versions),
        }),
      },
    };
  }

  /** The loop that snapshot and facts add up to. */
  stateOf({ snapshot = nothing, facts }: StoredFacts): Loop {
    return facts.slice(snapshot.journal.seq).reduce(this.#options.evolve ?? evolve, snapshot);
  }

  /** Makes facts durable. */
  write(loop: StoredFacts, facts: readonly Fact[], epoch: number): readonly RecordedFact[] {
    const first = loop.facts.length + 1;
    const recorded = facts.map((fact, index): RecordedFact => ({ ...fact, seq: first + index, at: this.#at(), epoch }));
    loop.facts.push(...recorded);
    this.noteChange(loop);
    return recorded;
  }

  noteChange(loop: StoredFacts): void {
    this.#versions += 1;
    loop.version = this.#versions;
    for (const wake of this.watchers) wake();
  }

  #at(): string {
    return new Date(this.#options.clock.nowMs()).toISOString();
  }

  #find(loopId: string): StoredFacts {
    const loop = this.#loops.get(loopId);
    if (loop === undefined) throw new LoopError(failures.loopNotFound(loopId, 'memory'));
    return loop;
  }

  #create(loopId: string): StoredFacts {
    if (this.#loops.has(loopId)) throw new LoopError(failures.loopExists(loopId, 'memory'));
    const loop: StoredFacts = { facts: [], epoch: 0, version: 0 };
    this.#loops.set(loopId, loop);
    return loop;
  }

  #takeFromDead(loopId: string): StoredFacts {
    const loop = this.#find(loopId);
    const { holder } = loop;
    if (holder?.process.isKilled === false) throw new LoopError(failures.loopLocked(loopId, holder.owner));
    holder?.lost.abort(ownershipLost(loopId));
    return loop;
  }

  #read(loopId: string): Awaited<ReturnType<LoopStore['read']>> {
    const loop = this.#find(loopId);
    const { holder } = loop;
    const liveness = holder?.process.isKilled === true ? 'dead' : 'alive';
    const owner = holder === undefined ? {} : { owner: { ...holder.owner, liveness } as const };
    return { loopId, loop: this.stateOf(loop), ...owner, problems: [] };
  }
}

/** A loop in the hands of one process, until another one takes it. */
function own(
  loops: MemoryLoops,
  loop: StoredFacts,
  { loopId, holder }: { readonly loopId: string; readonly holder: Holder },
): OwnedLoop {
  const { lost } = holder;
  const { epoch, since: _since, ...owner } = holder.owner;
  const isNew = loop.facts.length === 0;
  const listeners = new Set<TroubleListener>();
  loop.holder = holder;
  // As the next owner of a journal does; the first one has nothing to continue from.
  const opened: Fact = { type: 'segment.opened', data: { segment: `${epoch}-1`, owner, previous: null } };
  if (!isNew) loops.write(loop, [opened], epoch);
  const assertOwned = () => {
    lost.signal.throwIfAborted();
    if (loop.holder !== holder) throw ownershipLost(loopId);
  };
  const close = async () => {
    for (const listener of listeners) loops.troubleListeners.delete(listener);
    if (loop.holder !== holder) return;
    delete loop.holder;
    loops.noteChange(loop);
  };
  return {
    loopId,
    lease: { epoch, owner, lost: lost.signal, release: close },
    recovered: { ...(isNew ? {} : { loop: loops.stateOf(loop) }), problems: [] },
    append: async (facts) => {
      if (loops.beforeAppend !== undefined) await loops.beforeAppend();
      assertOwned();
      return loops.write(loop, facts, epoch);
    },
    save: async (saved) => {
      assertOwned();
      loop.snapshot = saved;
      loops.noteChange(loop);
    },
    onTrouble: (listener) => {
      listeners.add(listener);
      loops.troubleListeners.add(listener);
      if (loops.trouble !== undefined) listener(loops.trouble);
      return { [Symbol.dispose]: () => void loops.troubleListeners.delete(listener) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What a loop is doing, if its owner lives and is the one that said so. */
function newestPulse({ holder, pulse }: StoredFacts): Pulse | undefined {
  return holder?.process.isKilled === false && pulse?.epoch === holder.owner.epoch ? pulse : undefined;
}

function ownershipLost(loopId: string): LoopError {
  return new LoopError(failures.ownershipLost(loopId, 'the lease in memory'));
}
