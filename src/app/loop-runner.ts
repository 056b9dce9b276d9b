import { randomUUID } from 'node:crypto';
import { failures, LoopError, loopUuidForm } from '../base/index.ts';
import { type Given, givenIn } from '../config/index.ts';
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
  type LoopCommand,
  type LoopContext,
  type LoopStatsSnapshot,
  openRecord,
} from '../core/index.ts';
import { type TachikomaDocument, toTachikomaDocument } from '../formats/index.ts';
import {
  configSchema,
  type LoopConfig,
  type LoopConfigInput,
  type LoopState,
  type RecordedFact,
} from '../protocol/index.ts';
import { createFactStream, type Drive } from '../runner/index.ts';
import type { AppContext } from './adapters.ts';
import type { DrivenLoop } from './driven-loop.ts';
import { resumeLoop } from './resume-loop.ts';
import { startLoop } from './start-loop.ts';
import { placeOf } from './stores.ts';

/** How many commands wait for a loop that has not started. */
const queueCapacity = 32;

/** The name of a loop, `ralph-{slug}-{8 hex}`; before it has started, the `loop_…` form of its UUID. */
export type LoopId = string;

/** Something that happened in a loop; it is durable before anyone is told. */
export type LoopEvent = RecordedFact;

/** How a run ended. */
export interface LoopResult {
  readonly loopId: LoopId;
  readonly context: LoopContext;
  /** Whether checks that ralphd ran itself prove the completion. */
  readonly verified: boolean;
}

/** How a run is ended, and whether it may start at all. */
export interface RunOptions {
  /** Shuts the run down and leaves the loop paused. */
  readonly signal?: AbortSignal;
  /** Start although too many loops are live. */
  readonly force?: boolean;
  /** Resume with the files that the checks name as they are now: the user changed them. */
  readonly acceptGate?: boolean;
  /** Resume although the checks cannot judge anything yet: the task is to write or repair them. */
  readonly allowBrokenBaseline?: boolean;
  /** Resume with `stopConditions` as the configuration of this runner has them, instead of the loop's own. */
  readonly acceptConditions?: boolean;
}

/** A command without its id, which the runner gives it. */
export type CommandRequest = LoopCommand extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

/**
 * Runs one loop inside a program. Unlike the command line it stays while the loop is paused and goes on when it
 * is resumed; `shutdown` ends the run and leaves the loop paused for a later one.
 */
export class LoopRunner {
  readonly #config: LoopConfig;
  readonly #isGiven: Given;
  readonly #context: AppContext;
  readonly #facts = createFactStream();
  readonly #queued: LoopCommand[] = [];
  #resumeId: string | undefined;
  #uuid: string = randomUUID();
  #loop: Loop;
  #history: HistoryFold;
  #drive: Drive | undefined;
  #problems: readonly string[] = [];
  #running = false;
  #shuttingDown = false;

  /**
   * @param config what to do; missing settings get their defaults.
   * @param context where, and with which environment: the agent gets no other.
   * @param resumeId a loop that is paused or has lost its owner; `config` then only says where it lives.
   */
  constructor(config: LoopConfigInput, context: AppContext, resumeId?: string) {
    this.#config = checked(config);
    this.#isGiven = givenIn(structuredClone(config));
    this.#context = context;
    this.#resumeId = resumeId;
    this.#loop = idleLoop(this.#config);
    this.#history = { history: emptyHistory(this.#config.history.maxInMemory) };
    this.#facts.subscribe((fact) => {
      this.#history = foldHistory(this.#history, fact);
    });
  }

  /** The loop's id; before the loop has started, the `loop_…` form of its UUID. */
  get id(): LoopId {
    const { id } = this.#current;
    return id === '' ? (this.#resumeId ?? loopUuidForm(this.#uuid)) : id;
  }

  /** What the runner is doing. */
  get state(): LoopState {
    return contextOf(this.#current).state;
  }

  /** The counters as they stand now. */
  get stats(): LoopStatsSnapshot {
    return this.#current.stats;
  }

  /** The loop at a glance. */
  get context(): LoopContext {
    return { ...contextOf(this.#current), id: this.id };
  }

  /** The iterations this runner has seen: the newest ones, and the totals of all. */
  get history(): IterationHistory {
    return this.#history.history;
  }

  /** The whole state as a document of its own: what is done to it does not reach the loop. */
  snapshot(): TachikomaDocument {
    return structuredClone(toTachikomaDocument({ ...this.#current, id: this.id }, new Date().toISOString()));
  }

  /** The iteration under way, as far as it has come. */
  get iteration(): IterationRecord | undefined {
    return openRecord(this.#history);
  }

  /** What was wrong on disk and has been dealt with, and what went wrong beside the loop without stopping it. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Facts as they become durable, from now until the run is over. */
  events(): AsyncIterableIterator<LoopEvent> {
    return this.#facts.iterate();
  }

  /** Calls back with each fact; a listener that throws is dropped and never disturbs the loop. */
  subscribe(listener: (event: LoopEvent) => void): Disposable {
    return this.#facts.subscribe(listener);
  }

  /** Tells the loop to do something. One that does not fit its state is recorded as refused and changes nothing. */
  send(request: CommandRequest): void {
    const command = { ...request, id: randomUUID() } as LoopCommand;
    if (this.#drive !== undefined) return this.#drive.send(command);
    // What was meant for a loop that is over must not meet the next one.
    if (isTerminalState(this.state) && !this.#running) return;
    if (this.#queued.length >= queueCapacity) throw new LoopError(failures.commandQueueFull(queueCapacity));
    this.#queued.push(command);
  }

  /** Ends the agent within its grace, leaves the loop paused, and lets `run` return. */
  shutdown(): void {
    this.#shuttingDown = true;
    this.#drive?.send({ id: randomUUID(), command: 'interrupt', signal: 'shutdown' });
  }

  /**
   * Runs the loop until it ends or is shut down. A loop that was stopped or failed starts again as a new loop that
   * remembers the old one; anything else is refused.
   */
  async run(options: RunOptions = {}): Promise<LoopResult> {
    if (this.#running) throw new LoopError(failures.alreadyRunning(this.id));
    if (!canStart(this.state)) throw new LoopError(failures.invalidState(this.state, 'start'));
    this.#running = true;
    this.#shuttingDown = options.signal?.aborted === true;
    const shutdown = () => {
      try {
        this.shutdown();
      } catch {
        // What could not be recorded ends the run with its error.
      }
    };
    options.signal?.addEventListener('abort', shutdown);
    try {
      using driven = await this.#open(options);
      await this.#follow(driven);
      return { loopId: this.id, context: this.context, verified: this.#loop.verified };
    } finally {
      this.#running = false;
      options.signal?.removeEventListener('abort', shutdown);
      this.#facts.endIterations();
    }
  }

  get #current(): Loop {
    return this.#drive?.loop ?? this.#loop;
  }

  async #open(options: RunOptions): Promise<DrivenLoop> {
    const { force = false, acceptGate = false, acceptConditions = false, allowBrokenBaseline = false } = options;
    if (this.#resumeId !== undefined) {
      const place = placeOf(this.#config, this.#context.cwd);
      const changes = {
        ...(acceptConditions ? { stopConditions: this.#config.stopConditions } : {}),
        ...(allowBrokenBaseline ? { allowBrokenBaseline } : {}),
      };
      const driven = await resumeLoop(this.#resumeId, place, { context: this.#context, changes, acceptGate });
      this.#resumeId = undefined;
      return driven;
    }
    const before = this.#loop.id;
    if (before !== '') this.#uuid = randomUUID();
    return await startLoop(this.#config, this.#context, {
      uuid: this.#uuid,
      force,
      isGiven: this.#isGiven,
      ...(before === '' ? {} : { resumedFrom: before }),
    });
  }

  async #follow({ drive, opening, problems }: DrivenLoop): Promise<void> {
    this.#drive = drive;
    this.#problems = problems.messages;
    using _subscription = drive.facts.subscribe((fact) => this.#facts.publish([fact]));
    try {
      this.#facts.publish(opening);
      for (const command of this.#queued.splice(0)) drive.send(command);
      if (this.#shuttingDown) this.shutdown();
      await drive.run({ stayWhenPaused: () => !this.#shuttingDown });
    } finally {
      this.#loop = drive.loop;
      this.#drive = undefined;
    }
  }
}

/** The configuration with all defaults, or the first thing that is wrong with it. */
function checked(config: LoopConfigInput): LoopConfig {
  const parsed = configSchema.safeParse(config);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const place = first === undefined || first.path.length === 0 ? 'The configuration' : first.path.join('.');
  throw new LoopError(failures.configBadValue(place, first?.message ?? 'something else', 'what was given'));
}
