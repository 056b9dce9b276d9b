import { accept, accountsForTime, advance, breaksOff, evolve, type Loop, type LoopCommand } from '../core/index.ts';
import type { Fact, RecordedFact } from '../protocol/index.ts';
import { perform } from './effects.ts';
import { createFactStream, type FactStream } from './fact-stream.ts';
import type { RunnerPorts } from './ports.ts';
import { createStopwatch } from './stopwatch.ts';

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
  const facts = createFactStream();
  const kill = new AbortController();
  const stopwatch = createStopwatch(ports.clock);
  let loop = initial;
  let effect: AbortController | undefined;
  let broken: { readonly error: unknown } | undefined;
  let suspended = false;

  const record = (batch: readonly Fact[]): void => {
    if (batch.length === 0) return;
    const recorded: readonly RecordedFact[] = ports.store.append(batch);
    for (const fact of recorded) loop = evolve(loop, fact);
    facts.publish(recorded);
    if (batch.some(({ type }) => saved.has(type))) ports.store.save(loop);
    suspendInTrouble();
  };

  /** A disk that takes no more facts ends the work while it still takes those of a pause. */
  const suspendInTrouble = (): void => {
    const text = suspended ? undefined : ports.store.trouble();
    if (text === undefined) return;
    suspended = true;
    send({ id: `trouble-${loop.seq}`, command: 'suspend', text });
  };

  const send = (command: LoopCommand): void => {
    try {
      record(accept(loop, command));
    } catch (error) {
      // Commands come from timers and signals, where nobody catches: the run ends with the error, and its agent with it.
      broken ??= { error };
      effect?.abort();
      kill.abort();
      throw error;
    }
    // A wait or a rest ends with any command; work is broken off only when the command asks for it.
    if (loop.phase === 'waiting' || loop.status === 'paused' || breaksOff(loop)) effect?.abort();
    // An abort gives no grace; a stop does.
    if (loop.requests.end?.gracefully === false) kill.abort();
  };

  const step = async (happened: readonly Fact[], stayWhenPaused: () => boolean): Promise<readonly Fact[] | 'over'> => {
    const moment = { nowMs: ports.clock.nowMs(), elapsedMs: stopwatch.readMs() };
    const { facts: batch, action } = advance(loop, moment, happened);
    if (batch.slice(happened.length).some(accountsForTime)) stopwatch.takeMs();
    const before = suspended;
    record(batch);
    // Trouble came up while this was written: decide again.
    if (suspended !== before) return [];
    if (action.type === 'none' || (action.type === 'rest' && !stayWhenPaused())) return 'over';
    effect = new AbortController();
    return await perform(action, {
      loop: () => loop,
      ports,
      record,
      takeElapsedMs: stopwatch.takeMs,
      signal: effect.signal,
      kill: kill.signal,
    });
  };

  return {
    get loop() {
      return loop;
    },
    facts,
    send,
    killNow: () => kill.abort(),
    async run({ stayWhenPaused }) {
      using _bus = ports.commands.listen((command, done) => {
        try {
          send(command);
          done();
        } catch {
          // The run ends with it.
        }
      });
      let happened: readonly Fact[] = [];
      for (;;) {
        const outcome = await step(happened, stayWhenPaused);
        if (broken !== undefined) throw broken.error;
        if (outcome === 'over') return loop;
        happened = outcome;
      }
    },
  };
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
  'agent.started',
  'gate.started',
  'command.accepted',
  'command.refused',
]);
