import path from 'node:path';
import type { AppContext } from '../app/index.ts';
import { type IterationOutcome, type LoopStatsSnapshot, outcomeOf } from '../core/index.ts';
import { toTachikomaIteration } from '../formats/index.ts';
import { type CommandRequest, LoopRunner as Engine, type LoopResult, type RunOptions } from '../library/index.ts';
import type { RecordedFact } from '../protocol/index.ts';
import type { Answer } from '../runner/index.ts';
import { type CommandSender, type LoopCommand, requestOf } from './commands.ts';
import { LoopConfig, type PartialLoopConfig, settingsOf } from './config.ts';
import { inTheirWords } from './errors.ts';
import { type EventReceiver, LoopEventEmitter } from './event-emitter.ts';
import { eventOf, type LoopEvent } from './events.ts';
import { Iteration } from './iteration.ts';
import { HistoryConfig, IterationHistory } from './iteration-history.ts';
import { type Logger, type LogLine, logFor } from './log.ts';
import { LoopId } from './loop-id.ts';
import type { PersistedLoopState, SessionState } from './persisted-state.ts';
import { LoopContext, type LoopState, LoopStats } from './state.ts';
import type { StateManager } from './state-manager.ts';

/** What a runner can be given besides its configuration. */
export interface RunnerOptions {
  /** Receives what the loop does, with its id. */
  readonly log?: Logger;
  /** Keeps a document with the state of the loop, saved at every change. */
  readonly stateManager?: StateManager;
  /** A loop of ralphd that is paused or has lost its process; it continues with its own settings. */
  readonly resume?: string;
}

/** Where a runner works, and with which environment. */
export interface RunnerSetting extends RunnerOptions {
  readonly context: AppContext;
}

/** Runs a loop: the same engine, files and guarantees as everything else in ralphd. */
export class BaseLoopRunner {
  readonly #config: LoopConfig;
  readonly #setting: RunnerSetting;
  readonly #engine: Engine;
  readonly #emitter = new LoopEventEmitter();
  readonly #log: LogLine;
  #id: LoopId;
  #failure: string | undefined;
  #isRunning = false;

  /**
   * @param config the settings; missing ones get their defaults.
   * @param setting where it works.
   */
  constructor(config: PartialLoopConfig, setting: RunnerSetting) {
    this.#config = structuredClone(LoopConfig.from(config));
    this.#setting = setting;
    this.#engine = new Engine(settingsOf(this.#config), setting.context, setting.resume);
    this.#id = setting.resume === undefined ? new LoopId(this.#engine.id) : LoopId.new();
    this.#log = logFor(() => this.#id.toString(), setting.log);
    this.#engine.subscribe((fact) => this.#take(fact));
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
    return { ...this.#engine.stats };
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
      return await this.#engine.run(options);
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

  async #send(command: LoopCommand | CommandRequest): Promise<Answer> {
    try {
      return await this.#engine.send(requestOf(command));
    } catch (error) {
      throw inTheirWords(error, {});
    }
  }

  #take(fact: RecordedFact): void {
    if (fact.type === 'loop.started') this.#id = new LoopId(fact.data.uuid);
    this.#keepState();
    const outcome = () => this.#newestOutcome();
    const { stats } = this.#engine;
    const event = eventOf(fact, { loopId: this.#id, config: this.#config, stats: { ...stats }, outcome });
    if (event === undefined) return;
    this.#log(event.type === 'error' || event.type === 'iteration_failed' ? 'warn' : 'info', describe(event));
    this.#emitter.emit(event);
  }

  #newestOutcome(): IterationOutcome {
    const record = this.#engine.history.records.at(-1);
    if (record === undefined) throw new Error('No iteration has finished.');
    return outcomeOf(record, this.#config.contextRedlinePercent);
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
    const { stateManager } = this.#setting;
    stateManager?.replace(this.snapshot()).catch((error: unknown) => {
      this.#log('warn', `The state document was not saved: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  get #promptPath(): string {
    return path.resolve(this.#setting.context.cwd, this.#config.workingDir, this.#config.promptPath);
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
    case 'reboot_started':
    case 'reboot_completed':
      return `The loop: ${event.type.replace('_', ' ')}.`;
  }
}
