import {
  accept,
  accountsForTime,
  advance,
  breaksOff,
  evolve,
  isTerminal,
  type Loop,
  type LoopCommand,
} from '../core/index.ts';
import type { Fact, RecordedFact } from '../protocol/index.ts';
import { perform } from './effects.ts';
import { createFactStream, type FactStream } from './fact-stream.ts';
import type { RunnerPorts } from './ports.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';

/** A loop under way: its state, and the only place that writes its facts. */
export interface Drive {
  readonly loop: Loop;
  readonly facts: FactStream;
  /** Answers a command at once and durably; what is being done is broken off when the command says so. */
  send(command: LoopCommand): void;
  /** Kills what is being done without waiting for its grace. */
  killNow(): void;
  /** Goes on until the loop ends or, unless it should stay, rests. */
  run(options: { readonly stayWhenPaused: () => boolean }): Promise<Loop>;
}

/** Drives a loop: decides, writes what follows, carries out the effect, and again. */
export function createDrive(initial: Loop, ports: RunnerPorts): Drive {
  return new LoopDrive(initial, ports);
}

class LoopDrive implements Drive {
  readonly facts = createFactStream();
  readonly #ports: RunnerPorts;
  readonly #stopwatch: Stopwatch;
  readonly #kill = new AbortController();
  #loop: Loop;
  #effect: AbortController | undefined;
  #broken: { readonly error: unknown } | undefined;
  #isSuspended = false;
  #isStraightBehindRun = false;

  constructor(initial: Loop, ports: RunnerPorts) {
    this.#loop = initial;
    this.#ports = ports;
    this.#stopwatch = createStopwatch(ports.clock);
  }

  get loop(): Loop {
    return this.#loop;
  }

  send(command: LoopCommand): void {
    try {
      this.#record(accept(this.#loop, command));
    } catch (error) {
      // Commands come from timers and signals, where nobody catches: the run ends with the error, and its agent with it.
      this.#broken ??= { error };
      this.#effect?.abort();
      this.#kill.abort();
      throw error;
    }
    const { phase, status, requests } = this.#loop;
    // A wait or a rest ends with any command; work is broken off only when the command asks for it.
    if (phase === 'waiting' || status === 'paused' || breaksOff(this.#loop)) this.#effect?.abort();
    // An abort gives no grace; a stop does.
    if (requests.end?.gracefully === false) this.#kill.abort();
  }

  killNow(): void {
    this.#kill.abort();
  }

  async run({ stayWhenPaused }: { readonly stayWhenPaused: () => boolean }): Promise<Loop> {
    using _bus = this.#ports.commands.listen((command, done) => this.#receive(command, done));
    if (this.#loop.epoch > 1) await this.#ports.endLeftWork(this.#loop);
    await this.#ports.gate.tidy?.(false);
    let happened: readonly Fact[] = [];
    for (;;) {
      const outcome = await this.#step(happened, stayWhenPaused);
      if (this.#broken !== undefined) throw this.#broken.error;
      if (outcome === 'over') {
        if (isTerminal(this.#loop.status)) await this.#ports.gate.tidy?.(true);
        return this.#loop;
      }
      happened = outcome;
    }
  }

  #receive(command: LoopCommand, done: () => void): void {
    try {
      this.send(command);
      done();
    } catch {
      // The run ends with it.
    }
  }

  async #step(seen: readonly Fact[], stayWhenPaused: () => boolean): Promise<readonly Fact[] | 'over'> {
    const happened = this.#ports.store.clean?.(seen) ?? seen;
    const moment = { nowMs: this.#ports.clock.nowMs(), elapsedMs: this.#stopwatch.readMs() };
    const { facts: batch, action } = advance(this.#loop, moment, happened);
    if (batch.slice(happened.length).some(accountsForTime)) this.#stopwatch.takeMs();
    const wasSuspended = this.#isSuspended;
    this.#record(batch);
    // Trouble came up while this was written: decide again.
    if (this.#isSuspended !== wasSuspended) return [];
    if (action.type === 'none' || (action.type === 'rest' && !stayWhenPaused())) return 'over';
    this.#effect = new AbortController();
    const isStraightBehindRun = this.#isStraightBehindRun;
    // To begin an iteration only writes facts.
    if (action.type !== 'begin') this.#isStraightBehindRun = action.type === 'execute' || action.type === 'recover';
    return await perform(action, {
      loop: () => this.#loop,
      ports: this.#ports,
      record: (facts) => this.#record(facts),
      takeElapsedMs: this.#stopwatch.takeMs,
      isStraightBehindRun,
      readElapsedMs: this.#stopwatch.readMs,
      signal: this.#effect.signal,
      kill: this.#kill.signal,
    });
  }

  #record(batch: readonly Fact[]): void {
    if (batch.length === 0) return;
    const recorded: readonly RecordedFact[] = this.#ports.store.append(batch);
    for (const fact of recorded) this.#loop = evolve(this.#loop, fact);
    this.facts.publish(recorded);
    if (batch.some(({ type }) => saved.has(type))) this.#ports.store.save(this.#loop);
    this.#suspendInTrouble();
  }

  /** A disk that takes no more facts ends the work while it still takes those of a pause. */
  #suspendInTrouble(): void {
    const text = this.#isSuspended ? undefined : this.#ports.store.trouble();
    if (text === undefined) return;
    this.#isSuspended = true;
    this.send({ id: `trouble-${this.#loop.seq}`, command: 'suspend', text });
  }
}

/**
 * Facts after which the snapshot is refreshed: the loop's status changed, or something long has just begun, so that
 * the writing costs no time between two runs.
 */
const saved: ReadonlySet<Fact['type']> = new Set<Fact['type']>([
  'loop.started',
  'loop.paused',
  'loop.resumed',
  'loop.recovered',
  'loop.completing',
  'loop.ended',
  'wait.scheduled',
  'hooks.started',
  'agent.started',
  'gate.started',
  'command.accepted',
  'command.refused',
]);
