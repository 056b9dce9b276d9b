import { randomUUID } from 'node:crypto';
import { type AppContext, type DrivenLoop, placeOf, resumeLoop, startLoop } from '../app/index.ts';
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
import {
  type LoopEvent,
  type LoopId,
  type LoopResult,
  type OwnedHandle,
  type QueuedCommand,
  runHandle,
} from './loop-handle.ts';

/** How many commands wait for a loop that has not started. */
const queueCapacity = 32;

/** How a run is ended, and whether it may start at all. */
export interface RunOptions {
  /** Shuts the run down and leaves the loop paused. One that is already aborted starts nothing. */
  readonly signal?: AbortSignal;
  /** Start although too many loops are live; take a loop that is resumed over from the process that drives it. */
  readonly force?: boolean;
  /** Resume with the files that the checks name as they are now: the user changed them. */
  readonly acceptGate?: boolean;
  /** Resume although the checks cannot judge anything yet: the task is to write or repair them. */
  readonly allowBrokenBaseline?: boolean;
  /** Resume with `stopConditions` as the configuration of this runner has them, instead of the loop's own. */
  readonly acceptConditions?: boolean;
}

/**
 * Runs one loop, as `runLoop` and `resumeLoop` do, in an object that exists before its loop does: with states to ask
 * for, listeners, and commands that wait for the start. A stopped or failed loop can be run again, as a new loop.
 */
export class LoopRunner {
  readonly #config: LoopConfig;
  readonly #isGiven: Given;
  readonly #chosen: readonly string[];
  readonly #context: AppContext;
  readonly #facts = createFactStream();
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
   * @param config what to do; missing settings get their defaults.
   * @param context where, and with which environment: the agent gets no other.
   * @param resumeId a loop that is paused or has lost its owner; `config` then only says where it lives.
   */
  constructor(config: LoopConfigInput, context: AppContext, resumeId?: string) {
    this.#config = parseGiven(config, 'given to LoopRunner');
    this.#isGiven = givenIn(structuredClone(config));
    this.#chosen = givenSettings(config);
    this.#context = context;
    this.#resumeId = resumeId;
    this.#idle = idleLoop(this.#config);
    this.#history = { history: emptyHistory(this.#config.history.maxInMemory) };
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

  /** The counters as they stand now. */
  get stats(): LoopStatsSnapshot {
    return this.#loop.totals.stats;
  }

  /** The loop at a glance. */
  get context(): LoopContext {
    return { ...contextOf(this.#loop), id: this.id };
  }

  /** The iterations of this runner: the newest ones, and the totals of all. */
  get history(): IterationHistory {
    return this.#history.history;
  }

  /** The whole state as a document of its own: changing it does not change the loop. */
  snapshot(): TachikomaDocument {
    return structuredClone(toTachikomaDocument({ ...this.#loop, id: this.id }, new Date().toISOString()));
  }

  /** The iteration under way, as far as it has come. */
  get iteration(): IterationRecord | undefined {
    return openRecord(this.#history);
  }

  /** What was wrong with the loop's files and has been dealt with, and what went wrong without stopping the loop. */
  get problems(): readonly string[] {
    return this.#handle?.problems ?? [];
  }

  /** Events as they become durable, from now until the run is over. */
  events(): AsyncIterableIterator<LoopEvent> {
    return this.#facts.iterate();
  }

  /** Calls back with each event; a listener that throws is dropped and never disturbs the loop. */
  subscribe(listener: (event: LoopEvent) => void): Disposable {
    return this.#facts.subscribe(listener);
  }

  /**
   * Tells the loop to do something, and resolves with its answer once that is durable. A command that does not fit is
   * refused and changes nothing. Up to 32 commands wait for a loop that has not started.
   */
  send(request: CommandRequest): Promise<Answer> {
    if (this.#isDriving && this.#handle !== undefined) return handled(this.#handle.send(request));
    // What was meant for a loop that is over must not meet the next one.
    if (isTerminalState(this.state) && !this.#running) {
      const why = `the loop has already ended (${this.#loop.status})`;
      return Promise.resolve({ accepted: false, why, allowed: [] });
    }
    if (this.#queued.length >= queueCapacity) throw new LoopError(failures.commandQueueFull(queueCapacity));
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#queued.push({ command: commandFrom(request), answer: resolve });
    return handled(promise);
  }

  /** Ends the agent within its grace, leaves the loop paused, and lets `run` return. */
  shutdown(): void {
    this.#stop.abort();
  }

  /**
   * Runs the loop until it ends or is shut down. A loop that was stopped or failed starts again as a new loop that
   * remembers the old one; anything else is refused.
   */
  async run(options: RunOptions = {}): Promise<LoopResult> {
    if (this.#running) throw new LoopError(failures.alreadyRunning(this.id));
    if (!canStart(this.state)) throw new LoopError(failures.invalidState(this.state, 'start'));
    options.signal?.throwIfAborted();
    this.#running = true;
    this.#stop = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    try {
      const driven = await inLibrary(() => this.#open(options));
      this.#handle = runHandle(driven, {
        signal,
        first: this.#queued.splice(0),
        observe: (fact) => this.#facts.publish([fact]),
      });
      this.#isDriving = true;
      return await this.#handle.result;
    } finally {
      this.#running = false;
      this.#isDriving = false;
      this.#facts.endIterations();
    }
  }

  get #loop(): Loop {
    return this.#handle?.loop ?? this.#idle;
  }

  async #open(options: RunOptions): Promise<DrivenLoop> {
    const { force = false, acceptGate = false, acceptConditions = false, allowBrokenBaseline = false } = options;
    if (this.#resumeId !== undefined) {
      const place = placeOf(this.#config, this.#context.cwd);
      const changes = {
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

/** Whoever does not wait for an answer need not handle that there is none: the run ends with the same error. */
function handled(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => {});
  return answer;
}
