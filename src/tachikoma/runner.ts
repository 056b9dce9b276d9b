import path from 'node:path';
import { type AppContext, findLoop, placeOf } from '../app/index.ts';
import { LoopError as RalphdError } from '../base/index.ts';
import { toTachikomaIteration } from '../formats/index.ts';
import {
  type CommandRequest,
  LoopRunner as Engine,
  type EnvironmentOptions,
  type LoopEvent as RalphdEvent,
  type RunOptions,
} from '../library/index.ts';
import { parseConfig } from '../protocol/index.ts';
import { type CommandAnswer, type CommandSender, type LoopCommand, requestOf } from './commands.ts';
import { LoopConfig, type PartialLoopConfig, settingsOf } from './config.ts';
import { inTheirWords } from './errors.ts';
import { type EventReceiver, LoopEventEmitter } from './event-emitter.ts';
import { eventOf, type LoopEvent } from './events.ts';
import { Iteration } from './iteration.ts';
import { HistoryConfig, IterationHistory } from './iteration-history.ts';
import { type Logger, type LogLine, logFor } from './log.ts';
import { LoopId } from './loop-id.ts';
import type { LoopState } from './loop-state.ts';
import { contextOf } from './own-context.ts';
import type { PersistedLoopState, SessionState } from './persisted-state.ts';
import { LoopContext, LoopStats, type LoopStatsSnapshot } from './state.ts';
import type { StateManager } from './state-persistence.ts';

/** What a runner can be given besides its configuration. */
export interface RunnerOptions extends EnvironmentOptions {
  /** Receives what the loop does, with its id. */
  readonly log?: Logger;
  /** Keeps a document with the state of the loop, saved at every change. */
  readonly stateManager?: StateManager;
  /** A loop of ralphd that is paused or has lost its process; it continues with its own settings. */
  readonly resume?: string;
}

/** How a run ended. */
export interface LoopResult {
  /** Which loop it was. */
  readonly loopId: LoopId;
  /** The loop at the end of the run. */
  readonly context: LoopContext;
  /** Whether checks that ralphd ran itself prove the completion. */
  readonly verified: boolean;
}

/**
 * Runs a loop: the same engine, files and guarantees as everything else in ralphd. `ralphd status` shows the loop, and
 * `ralphd resume` continues it.
 */
export class LoopRunner {
  readonly #config: LoopConfig;
  readonly #options: RunnerOptions;
  readonly #context: AppContext;
  readonly #engine: Engine;
  readonly #emitter = new LoopEventEmitter();
  readonly #log: LogLine;
  #id: LoopId;
  #failure: string | undefined;
  #isRunning = false;

  /**
   * @param config the settings; missing ones get their defaults.
   * @param options where the runner works (default: the current folder and environment), a log, a `StateManager`, and a loop
   *   to resume.
   */
  constructor(config: PartialLoopConfig = {}, options: RunnerOptions = {}) {
    this.#config = structuredClone(LoopConfig.from(config));
    this.#options = options;
    this.#context = contextOf(options);
    this.#engine = new Engine(settingsOf(this.#config), this.#context, options.resume);
    this.#id = options.resume === undefined ? new LoopId(this.#engine.id) : this.#idOf(options.resume);
    this.#log = logFor(() => this.#id.toString(), options.log);
    this.#engine.subscribe((event) => this.#take(event));
  }

  /** The loop's id. A stopped or failed loop that is run again is a new loop with a new id. */
  id(): LoopId {
    return this.#id;
  }

  /** The id by which ralphd's commands and functions find the loop. */
  ralphdId(): string {
    return this.#engine.id;
  }

  /** Sends commands from outside. */
  commandSender(): CommandSender {
    return {
      send: async (command) => {
        this.#send(command).catch(() => {});
      },
      request: async (command) => await this.#send(command),
    };
  }

  /** A receiver for the events from now until the run is over. */
  subscribeEvents(): EventReceiver {
    return this.#emitter.subscribe();
  }

  /** The events from now until the run is over. */
  events(): EventReceiver {
    return this.#emitter.subscribe();
  }

  /** Calls back with each event; a listener that throws is removed and never disturbs the loop. */
  subscribe(listener: (event: LoopEvent) => void): Disposable {
    return this.#emitter.listen(listener);
  }

  /** The current state. A shutdown leaves the loop paused, so that it can be resumed; a limit ends it as an error. */
  state(): LoopState {
    return this.#failure !== undefined && this.#engine.state === 'idle' ? 'error' : this.#engine.state;
  }

  /** A copy of the counters. */
  stats(): LoopStatsSnapshot {
    return LoopStats.of(this.#engine.stats).snapshot();
  }

  /** A copy of the loop at a glance. */
  context(): LoopContext {
    const { startedAt, lastActivityAt, stopReason, stopMessage } = this.#engine.context;
    const context = new LoopContext(this.#id, LoopStats.of(this.#engine.stats));
    context.state = this.state();
    if (startedAt !== undefined) context.startedAt = new Date(startedAt);
    if (lastActivityAt !== undefined) context.lastActivity = new Date(lastActivityAt);
    context.stopReason = stopMessage ?? stopReason ?? this.#failure;
    return context;
  }

  /** The agent's sessions: the current one, and the newest that ended. */
  sessions(): SessionState {
    return this.snapshot().session;
  }

  /** The iterations of this runner. Prompts and output are in the loop's folder. */
  history(): IterationHistory {
    const { records, maxInMemory } = this.#engine.history;
    const history = new IterationHistory({ ...HistoryConfig.default(), maxInMemory });
    for (const record of records) history.add(Iteration.fromJSON(toTachikomaIteration(record)));
    return history;
  }

  /** A copy of the full state. */
  snapshot(): PersistedLoopState {
    return this.#engine.snapshot() as PersistedLoopState;
  }

  /**
   * Runs the loop until it ends or is shut down, whatever its outcome; rejects only if it cannot start or cannot go on. While
   * it is paused, it serves commands.
   */
  async run(options: RunOptions = {}): Promise<LoopResult> {
    const action = { current: this.state(), action: 'start' };
    const isFirst = !this.#isRunning;
    this.#isRunning = true;
    try {
      if (isFirst) this.#failure = undefined;
      const { verified } = await this.#engine.run(options);
      return { loopId: this.#id, context: this.context(), verified };
    } catch (error) {
      const own = inTheirWords(error, {
        state: action,
        promptPath: this.#promptPath,
        path: this.#config.session.stateDir,
      });
      if (isFirst) this.#fail(own);
      throw own;
    } finally {
      if (isFirst) {
        this.#isRunning = false;
        this.#emitter.end();
      }
    }
  }

  /** Ends the agent within its grace period, pauses the loop, and lets `run` return. */
  shutdown(): void {
    this.#engine.shutdown();
  }

  /** The id of a loop on record. If it cannot be read, `run` reports why. */
  #idOf(query: string): LoopId {
    try {
      const place = placeOf(parseConfig(settingsOf(this.#config)), this.#context.cwd);
      return new LoopId(findLoop(place, query).loop.origin.uuid);
    } catch (error) {
      if (error instanceof RalphdError) return LoopId.new();
      throw error;
    }
  }

  async #send(command: LoopCommand | CommandRequest): Promise<CommandAnswer> {
    try {
      return await this.#engine.send(requestOf(command));
    } catch (error) {
      throw inTheirWords(error, {});
    }
  }

  #take(ours: RalphdEvent): void {
    if (ours.type === 'loop.started') this.#id = new LoopId(ours.data.uuid);
    this.#keepState();
    const event = eventOf(ours, { loopId: this.#id, config: this.#config, stats: this.stats() });
    if (event === undefined) return;
    this.#log(event.type === 'error' || event.type === 'iteration_failed' ? 'warn' : 'info', describe(event));
    this.#emitter.emit(event);
  }

  /** An error without a fact: the loop did not start, or its state can no longer be written. */
  #fail(error: unknown): void {
    this.#failure = error instanceof Error ? error.message : String(error);
    this.#log('error', this.#failure);
    this.#emitter.emit({
      type: 'error',
      loopId: this.#id,
      seq: undefined,
      at: new Date().toISOString(),
      error: this.#failure,
      stats: this.stats(),
    });
  }

  /** The manager's document is a copy for others; the loop itself does not depend on it. */
  #keepState(): void {
    const { stateManager } = this.#options;
    stateManager?.replace(this.snapshot()).catch((error: unknown) => {
      this.#log('warn', `The state document was not saved: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  get #promptPath(): string {
    return path.resolve(this.#context.cwd, this.#config.workingDir, this.#config.promptPath);
  }
}

function describe(event: LoopEvent): string {
  switch (event.type) {
    case 'iteration_started':
      return `Iteration ${event.iteration} started.`;
    case 'iteration_completed':
      return `Iteration ${event.iteration} completed.`;
    case 'iteration_failed':
      return `Iteration ${event.iteration} failed: ${event.error}`;
    case 'paused':
    case 'stopped':
      return `The loop is ${event.type}: ${event.reason}`;
    case 'stop_condition_triggered':
      return `A stop condition was met: ${event.reason}`;
    case 'error':
      return `The loop failed: ${event.error}`;
    case 'started':
    case 'completed':
    case 'resumed':
      return `The loop ${event.type}.`;
    case 'reboot_started':
      return 'The loop changes to a fresh session.';
    case 'reboot_completed':
      return event.error === undefined ? 'The next session is fresh.' : `The reboot failed: ${event.error}`;
  }
}
