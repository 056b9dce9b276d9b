import { randomUUID } from 'node:crypto';
import { type AppContext, type DrivenLoop, findLoop, placeOf, readFacts, resumeLoop, startLoop } from '../app/index.ts';
import { failures, LoopError, loopUuidForm } from '../base/index.ts';
import { type Given, givenIn, givenSettings, parseGiven } from '../config/index.ts';
import {
  canStart,
  contextOf,
  emptyHistory,
  foldHistory,
  type HistoryFold,
  type IterationHistory,
  type IterationRecord,
  idleLoop,
  isTerminalState,
  type Loop,
  type LoopContext,
  type LoopStatsSnapshot,
  openRecord,
} from '../core/index.ts';
import { type TachikomaDocument, toTachikomaDocument } from '../formats/index.ts';
import type { LoopConfig, LoopConfigInput, LoopState } from '../protocol/index.ts';
import { type Answer, createFactStream } from '../runner/index.ts';
import { type CommandRequest, commandFrom } from './commands.ts';
import { inLibrary } from './library-error.ts';
import { type LoopResult, type OwnedHandle, type QueuedCommand, runHandle } from './loop-handle.ts';
import { type LoopChanges, parseChanges } from './run-loop.ts';
import type { LoopEvent, LoopId } from './to-events.ts';

/** How many commands wait for a loop that has not started. */
const queueCapacity = 32;

/** How a run starts and ends. */
export interface RunOptions {
  /** Shuts down the run and pauses the loop. If it is already aborted, nothing starts. */
  readonly signal?: AbortSignal;
  /** When the loop pauses: `stay` with it and wait for a command, or `leave` it to a later run. Default: `stay`. */
  readonly whenPaused?: 'stay' | 'leave';
  /** Start even if too many loops are active; take over a resumed loop from the process that runs it. */
  readonly force?: boolean;
  /** Accept the current versions of the files that the checks depend on. */
  readonly acceptGate?: boolean;
  /** Resume even though the checks cannot run yet, for a task that writes or repairs them. */
  readonly allowBrokenBaseline?: boolean;
  /** Resume with other settings, above all higher limits for a loop that has used them up. */
  readonly changes?: LoopChanges;
  /** Resume with the `stopConditions` of this runner's configuration instead of the loop's own. */
  readonly acceptConditions?: boolean;
}

/**
 * Runs one loop like `runLoop` and `resumeLoop`, as an object that exists before the loop does: with a state to
 * query, listeners, and commands that wait for the start. A stopped or failed loop can be run again as a new loop, and a
 * loop that was left paused is resumed.
 */
export class LoopRunner {
  readonly #config: LoopConfig;
  readonly #isGiven: Given;
  readonly #chosen: readonly string[];
  readonly #context: AppContext;
  readonly #facts = createFactStream<LoopEvent>();
  readonly #queued: QueuedCommand[] = [];
  #resumeId: string | undefined;
  #uuid: string = randomUUID();
  #idle: Loop;
  #history: HistoryFold;
  #handle: OwnedHandle | undefined;
  #stop = new AbortController();
  #running = false;
  #isDriving = false;

  /**
   * @param config the settings; missing ones get their defaults.
   * @param context the working folder, and the environment for the agent.
   * @param resumeId a loop that is paused or has lost its owner; `config` then only says where it is stored. State,
   * counters and history are those of the loop from the start.
   */
  constructor(config: LoopConfigInput, context: AppContext, resumeId?: string) {
    this.#config = parseGiven(config, 'given to LoopRunner');
    this.#isGiven = givenIn(structuredClone(config));
    this.#chosen = givenSettings(config);
    this.#context = context;
    this.#resumeId = resumeId;
    this.#idle = (resumeId === undefined ? undefined : this.#find(resumeId)) ?? idleLoop(this.#config);
    this.#history = this.#recall();
    this.#facts.subscribe((fact) => {
      this.#history = foldHistory(this.#history, fact);
    });
  }

  /** The loop's id; before the loop has started, the `loop_…` form of its UUID. */
  get id(): LoopId {
    return this.#handle?.id ?? this.#resumeId ?? loopUuidForm(this.#uuid);
  }

  /** What the runner is doing. */
  get state(): LoopState {
    return contextOf(this.#loop).state;
  }

  /** The current counters. */
  get stats(): LoopStatsSnapshot {
    return this.#loop.totals.stats;
  }

  /** A summary of the loop. */
  get context(): LoopContext {
    return { ...contextOf(this.#loop), id: this.id };
  }

  /** The iterations of the loop: the newest ones and the totals. */
  get history(): IterationHistory {
    return this.#history.history;
  }

  /** A copy of the full state; changing it does not change the loop. */
  snapshot(): TachikomaDocument {
    return structuredClone(toTachikomaDocument({ ...this.#loop, id: this.id }, new Date().toISOString()));
  }

  /** The current iteration so far. */
  get iteration(): IterationRecord | undefined {
    return openRecord(this.#history);
  }

  /** Problems repaired in the loop's files, and problems that did not stop the loop. */
  get problems(): readonly string[] {
    return this.#handle?.problems ?? [];
  }

  /** Events as they become durable, from now until the run is over. */
  events(): AsyncIterableIterator<LoopEvent> {
    return this.#facts.iterate();
  }

  /** Calls back with each event; a listener that throws is removed and never disturbs the loop. */
  subscribe(listener: (event: LoopEvent) => void): Disposable {
    return this.#facts.subscribe(listener);
  }

  /**
   * Sends a command and resolves with its answer once that is durable. A command that the loop cannot accept is
   * refused and changes nothing. Up to 32 commands wait for a loop that has not started.
   */
  send(request: CommandRequest): Promise<Answer> {
    if (this.#isDriving && this.#handle !== undefined) return handled(this.#handle.send(request));
    // A command for an ended loop must not reach the next one.
    if (isTerminalState(this.state) && !this.#running && this.#resumeId === undefined) {
      const why = `the loop has already ended (${this.#loop.status})`;
      return Promise.resolve({ accepted: false, why, allowed: [] });
    }
    if (this.#queued.length >= queueCapacity) throw new LoopError(failures.commandQueueFull(queueCapacity));
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#queued.push({ command: commandFrom(request), answer: resolve });
    return handled(promise);
  }

  /** Ends the agent within its grace period, pauses the loop, and lets `run` return. */
  shutdown(): void {
    this.#stop.abort();
  }

  /**
   * Runs the loop until it ends or is shut down. A loop that was left paused is resumed. A stopped or failed loop starts
   * again as a new loop that refers to the old one; anything else is refused.
   */
  async run(options: RunOptions = {}): Promise<LoopResult> {
    if (this.#running) throw new LoopError(failures.alreadyRunning(this.id));
    if (this.#resumeId === undefined && !canStart(this.state)) {
      throw new LoopError(failures.invalidState(this.state, 'start'));
    }
    options.signal?.throwIfAborted();
    this.#running = true;
    this.#stop = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    try {
      const driven = await inLibrary(() => this.#open(options));
      this.#history = this.#recall(driven);
      this.#handle = runHandle(driven, {
        signal,
        leaveWhenPaused: options.whenPaused === 'leave',
        first: this.#queued.splice(0),
        observe: (fact) => this.#facts.publish([fact]),
      });
      this.#isDriving = true;
      return await this.#handle.result;
    } finally {
      this.#running = false;
      this.#isDriving = false;
      if (this.state === 'paused') this.#resumeId = this.#handle?.id;
      this.#facts.endIterations();
    }
  }

  get #loop(): Loop {
    return this.#handle?.loop ?? this.#idle;
  }

  /** A loop as it is on record. If it cannot be read, `run` reports why. */
  #find(id: string): Loop | undefined {
    try {
      const { loop, shownStatus } = findLoop(placeOf(this.#config, this.#context.cwd), id);
      return { ...loop, status: shownStatus };
    } catch (error) {
      if (error instanceof LoopError) return undefined;
      throw error;
    }
  }

  /** The iterations on record before a run opens the loop. */
  #recall(driven?: DrivenLoop): HistoryFold {
    const known = driven === undefined ? this.#idle : driven.before;
    const history = emptyHistory((known ?? this.#idle).config.history.maxInMemory);
    if (known === undefined || known.status === 'idle') return { history };
    const firstSeq = driven?.opening[0]?.seq ?? Number.POSITIVE_INFINITY;
    const { root } = driven?.place ?? placeOf(this.#config, this.#context.cwd);
    const earlier = readFacts({ root }, known.id).filter(({ seq }) => seq < firstSeq);
    return earlier.reduce<HistoryFold>(foldHistory, { history });
  }

  async #open(options: RunOptions): Promise<DrivenLoop> {
    const { force = false, acceptGate = false, acceptConditions = false, allowBrokenBaseline = false } = options;
    if (this.#resumeId !== undefined) {
      const place = placeOf(this.#config, this.#context.cwd);
      const changes = {
        ...parseChanges(options.changes ?? {}),
        ...(acceptConditions ? { stopConditions: this.#config.stopConditions } : {}),
        ...(allowBrokenBaseline ? { allowBrokenBaseline } : {}),
      };
      const driven = await resumeLoop(this.#resumeId, place, { context: this.#context, changes, acceptGate, force });
      this.#resumeId = undefined;
      return driven;
    }
    const resumedFrom = this.#handle?.id;
    if (resumedFrom !== undefined) this.#uuid = randomUUID();
    return await startLoop(this.#config, this.#context, {
      uuid: this.#uuid,
      force,
      isGiven: this.#isGiven,
      chosen: this.#chosen,
      ...(resumedFrom === undefined ? {} : { resumedFrom }),
    });
  }
}

/** A caller that ignores the answer need not handle its rejection: the run ends with the same error. */
function handled(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => {});
  return answer;
}
