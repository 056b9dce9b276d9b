import {
  type Action,
  type Advance,
  accept,
  accountsForTime,
  advance,
  allowedCommands,
  breaksOff,
  evolve,
  isEnding,
  isTerminal,
  type Loop,
  type LoopCommand,
  waitLeftMs,
} from '../core/index.ts';
import type { Fact, RecordedFact, Sender } from '../protocol/index.ts';
import { capturesStart, perform, toStartedFact } from './effects.ts';
import type { FactStream } from './fact-stream.ts';
import type { Interruption, InterruptionCause } from './ports/attempt.ts';
import type { Answer } from './ports/command-bus.ts';
import type { StoreTrouble } from './ports/loop-store.ts';
import type { RunnerPorts } from './ports/runner-ports.ts';
import { createPulses, type Pulses } from './pulses.ts';
import { createQueue } from './queue.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';

/** A loop that is being driven: its state, and the only writer of its facts. */
export interface Drive {
  readonly loop: Loop;
  readonly facts: FactStream;
  /** Writes the first facts of this owner. */
  open(facts: readonly Fact[]): Promise<readonly RecordedFact[]>;
  /** Answers a command durably, and interrupts the current work if the command requires it. */
  send(command: LoopCommand): Promise<Answer>;
  /** Records something that happened beside the loop, such as a backup; does nothing unless the loop is running. */
  note(fact: Fact): Promise<void>;
  /** Kills the current work without waiting for its grace period. */
  killNow(): void;
  /**
   * Runs until the loop ends or rests; with `stayWhenPaused`, it also stays through pauses. Rejects if facts can no longer be
   * recorded or the lease is lost; by then nothing that was started for the loop is left.
   */
  run(options: DriveOptions): Promise<DriveResult>;
}

/** How long to stay with a loop. */
export interface DriveOptions {
  /** Whether to stay while the loop is paused; called at each pause. */
  readonly stayWhenPaused: () => boolean;
  /** Leave new commands to the next owner, for an owner that only carries out the commands it already has. */
  readonly ignoresCommands?: boolean;
  /** Park the loop instead of waiting longer than this; by default it waits as long as needed. */
  readonly returnWhenWaitingLongerThanMs?: number;
}

/** The result of a run. */
export interface DriveResult {
  readonly loop: Loop;
  /** When a parked loop is due. */
  readonly wakeAt?: string;
}

/** The pure rules that a drive follows. */
export interface DriveRules {
  readonly advance: typeof advance;
  readonly evolve: typeof evolve;
  readonly accept: typeof accept;
}

const coreRules: DriveRules = { advance, evolve, accept };

/** Drives a loop: decides, records the facts, carries out the effect, and repeats. */
export function createDrive(ports: RunnerPorts, rules: DriveRules = coreRules): Drive {
  return new LoopDrive(ports, rules);
}

type Effectful = Parameters<typeof perform>[0];

class LoopDrive implements Drive {
  readonly #ports: RunnerPorts;
  readonly #rules: DriveRules;
  readonly #stopwatch: Stopwatch;
  readonly #queue = createQueue();
  readonly #kill = new AbortController();
  readonly #recorder: Recorder;
  readonly #pulses: Pulses;
  #effect = new AbortController();
  #broken: { readonly error: unknown } | undefined;
  #trouble: StoreTrouble | undefined;
  #followsRunDirectly = false;

  constructor(ports: RunnerPorts, rules: DriveRules) {
    const { lease } = ports.loop;
    this.#recorder = createRecorder(ports, rules.evolve);
    this.#pulses = createPulses(ports, () => this.loop);
    this.#ports = ports;
    this.#rules = rules;
    this.#stopwatch = createStopwatch(ports.clock);
    ports.loop.onTrouble((trouble) => this.#noteTrouble(trouble));
    const failLostLease = () => this.#fail(lease.lost.reason, 'lease_lost');
    if (lease.lost.aborted) failLostLease();
    else lease.lost.addEventListener('abort', failLostLease, { once: true });
  }

  get loop(): Loop {
    return this.#recorder.loop;
  }

  get facts(): FactStream {
    return this.#recorder.facts;
  }

  async open(facts: readonly Fact[]): Promise<readonly RecordedFact[]> {
    return await this.#enqueue(async () => {
      const recorded = await this.#recorder.write(this.#recorder.redact(facts));
      await this.#suspendInTrouble();
      return recorded;
    });
  }

  async send(given: LoopCommand): Promise<Answer> {
    const command = given.command === 'interrupt' ? { sender: this.#ownerAs('signal'), ...given } : given;
    return await this.#enqueue(async () => {
      const facts = this.#rules.accept(this.loop, command);
      const wasIdle = this.#isIdle();
      // Nothing is written after the end of a loop.
      if (!isTerminal(this.loop.status)) await this.#record(this.#recorder.redact(facts));
      this.#breakOff(command, wasIdle);
      return this.#answer(command, facts);
    });
  }

  async note(fact: Fact): Promise<void> {
    await this.#enqueue(async () => {
      const { status, pending } = this.loop;
      // What rests stays exactly as its owner left it.
      if (status === 'running' && pending.wakeAt === undefined) await this.#record(this.#recorder.redact([fact]));
    });
  }

  killNow(): void {
    this.#kill.abort(interruption('signal'));
  }

  async run(options: DriveOptions): Promise<DriveResult> {
    const { loop, gate, endOrphanedWork: endLeftWork } = this.#ports;
    if (loop.lease.epoch > 1) await endLeftWork(this.loop);
    await gate.tidy?.(false);
    for (;;) {
      const result = await this.#runWhileListening(options);
      // A command that arrived before this owner stopped listening must not wait for the next owner.
      const mustContinue = await this.#enqueue(async () => this.#mustContinue(result));
      if (!mustContinue) return result;
    }
  }

  /** Whether a command came after the decision to park the loop, or a resume after the decision to rest. */
  #mustContinue({ wakeAt }: DriveResult): boolean {
    if (wakeAt !== undefined) return this.#effect.signal.aborted;
    return this.loop.status === 'paused' && this.loop.commands.requests.resume === true;
  }

  async #runWhileListening(options: DriveOptions): Promise<DriveResult> {
    const { commands, loop, gate } = this.#ports;
    using _bus = options.ignoresCommands ? noListener : commands.listen(loop.loopId, (command) => this.send(command));
    let happened: readonly Fact[] = [];
    for (;;) {
      const action = await this.#enqueue(() => this.#decide(happened));
      happened = [];
      if (action === 'decide again') continue;
      if (action.type === 'none' || (action.type === 'rest' && !options.stayWhenPaused())) break;
      const wakeAt = action.type === 'wait' ? this.#wakeAt(options) : undefined;
      if (wakeAt !== undefined) {
        await this.#enqueue(() => this.#park(wakeAt));
        return { loop: this.loop, wakeAt };
      }
      happened = await this.#perform(action);
      if (this.#broken !== undefined) throw this.#broken.error;
      if (action.type === 'execute' && this.loop.pending.hostSession !== undefined) break;
    }
    if (isTerminal(this.loop.status)) await gate.tidy?.(true);
    return { loop: this.loop };
  }

  /** When the whole wait is over; time in which no process runs the loop does not count towards its time limit. */
  #wakeAt({ returnWhenWaitingLongerThanMs: maxWaitMs }: DriveOptions): string | undefined {
    const nowMs = this.#ports.clock.nowMs();
    const leftMs = waitLeftMs(this.loop, nowMs);
    return maxWaitMs === undefined || leftMs <= maxWaitMs ? undefined : new Date(nowMs + leftMs).toISOString();
  }

  async #park(wakeAt: string): Promise<void> {
    if (this.#effect.signal.aborted) return;
    await this.#record([{ type: 'loop.parked', data: { wakeAt, elapsedMs: this.#stopwatch.takeMs() } }]);
  }

  /** Records what follows from the results, and returns the next action. */
  async #decide(results: readonly Fact[]): Promise<Exclude<Action, { type: 'record' }> | 'decide again'> {
    const happened = this.#recorder.redact(results);
    const moment = { nowMs: this.#ports.clock.nowMs(), elapsedMs: this.#stopwatch.readMs() };
    const { facts, action } = this.#advance(moment, happened);
    const following = facts.slice(happened.length);
    if (following.some(accountsForTime)) this.#stopwatch.takeMs();
    const outcome = await this.#record([...happened, ...this.#recorder.redact(following)]);
    // From here on, a command interrupts the next action.
    this.#effect = new AbortController();
    // The lease was lost while this was written, so nothing follows.
    if (this.#broken !== undefined) throw this.#broken.error;
    return outcome === 'suspended' ? 'decide again' : action;
  }

  /** An attempt that begins directly after the last one shares its sync: nothing has to happen between them. */
  #advance(moment: Parameters<typeof advance>[1], happened: readonly Fact[]): Advance {
    const ahead = this.#rules.advance(this.loop, moment, happened);
    if (ahead.action.type !== 'begin' || capturesStart(ahead.action)) return ahead;
    const elapsedMs = ahead.facts.some(accountsForTime) ? 0 : moment.elapsedMs;
    return this.#rules.advance(this.loop, moment, [...ahead.facts, toStartedFact(ahead.action, { elapsedMs })]);
  }

  async #perform(action: Effectful): Promise<readonly Fact[]> {
    const { signal } = this.#effect;
    // A command arrived right after the decision.
    const isLast = action.type === 'loop_hooks' && action.point === 'loop_end';
    const waits = action.type === 'rest' || action.type === 'wait' || action.type === 'ask';
    if (signal.aborted && !waits && !isLast) return [];
    const followsRunDirectly = this.#followsRunDirectly;
    // Beginning an iteration only writes facts.
    if (action.type !== 'begin') this.#followsRunDirectly = action.type === 'execute' || action.type === 'recover';
    using pulses = this.#pulses.step();
    return await perform(action, {
      loop: () => this.loop,
      ports: this.#ports,
      begin: async (facts) =>
        await this.#enqueue(async () => {
          if (signal.aborted) return false;
          await this.#record(this.#recorder.redact(facts));
          return true;
        }),
      record: async (facts) => void (await this.#enqueue(() => this.#record(this.#recorder.redact(facts)))),
      pulse: pulses.show,
      takeElapsedMs: this.#stopwatch.takeMs,
      followsRunDirectly,
      readElapsedMs: this.#stopwatch.readMs,
      signal,
      kill: this.#kill.signal,
    });
  }

  /** One batch at a time: a later one is decided only when the earlier one is durable. */
  async #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    return await this.#queue.add(async () => {
      if (this.#broken !== undefined) throw this.#broken.error;
      try {
        return await task();
      } catch (error) {
        this.#fail(error, 'store_failed');
        throw error;
      }
    });
  }

  /** Ends the run with an error, and its agent with it. The first error wins. */
  #fail(error: unknown, cause: InterruptionCause): void {
    this.#broken ??= { error };
    this.#effect.abort(interruption(cause));
    this.#kill.abort(interruption(cause));
  }

  async #record(redacted: readonly Fact[]): Promise<'recorded' | 'suspended'> {
    await this.#recorder.write(redacted);
    return await this.#suspendInTrouble();
  }

  #noteTrouble(trouble: StoreTrouble | undefined): void {
    this.#trouble = trouble;
    // A write in progress handles it when it ends; otherwise it is handled here.
    if (trouble !== undefined) this.#enqueue(() => this.#suspendInTrouble()).catch(() => {});
  }

  /** Ends the work while a store in trouble can still record a pause. */
  async #suspendInTrouble(): Promise<'recorded' | 'suspended'> {
    const {
      status,
      commands: { requests },
      journal: { seq },
    } = this.loop;
    if (this.#trouble === undefined || status !== 'running' || isEnding(this.loop)) return 'recorded';
    if (requests.pause?.now === true || requests.end !== undefined) return 'recorded';
    const sender = this.#ownerAs('driver');
    const command = { id: `trouble-${seq}`, command: 'suspend', text: this.#trouble.message, sender } as const;
    const wasIdle = this.#isIdle();
    await this.#record(this.#rules.accept(this.loop, command));
    this.#breakOff(command, wasIdle);
    return 'suspended';
  }

  #ownerAs(face: Sender['face']): Sender {
    const { host, pid } = this.#ports.loop.lease.owner;
    return { host, pid, face };
  }

  /** Any command ends a wait or a rest; work is interrupted only if the command requires it. */
  #breakOff(command: LoopCommand, wasIdle: boolean): void {
    const { requests } = this.loop.commands;
    const why = interruption(causeOf(command));
    if (isEnding(this.loop)) {
      // The command is refused, but nobody has to wait for the last hooks.
      if (endsWork(command)) this.#effect.abort(why);
      return;
    }
    if (wasIdle || breaksOff(this.loop)) this.#effect.abort(why);
    // An abort gives no grace period; a stop does.
    if (requests.end?.gracefully === false) this.#kill.abort(why);
  }

  #isIdle(): boolean {
    return this.loop.phase === 'waiting' || this.loop.status === 'paused';
  }

  #answer({ id }: LoopCommand, facts: readonly Fact[]): Answer {
    const refusal = facts.find((fact) => fact.type === 'command.refused')?.data.why;
    const why = refusal ?? this.loop.commands.served.find((served) => served.id === id)?.refusedBecause;
    return why === undefined ? { accepted: true } : { accepted: false, why, allowed: allowedCommands(this.loop) };
  }
}

const noListener: Disposable = { [Symbol.dispose]: () => {} };

function interruption(cause: InterruptionCause): Interruption {
  return { cause };
}

/** Whether a command asks for the current work to end. */
function endsWork(command: LoopCommand): boolean {
  if (command.command === 'pause') return command.now === true;
  return command.command === 'stop' || command.command === 'abort' || command.command === 'interrupt';
}

function causeOf({ command }: LoopCommand): InterruptionCause {
  if (command === 'suspend') return 'trouble';
  return command === 'interrupt' ? 'signal' : 'user';
}
