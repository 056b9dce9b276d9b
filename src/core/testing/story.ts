import type { Fact, FactData, HookStep, RecordedFact } from '../../protocol/index.ts';
import { accept, type LoopCommand } from '../loop/accept.ts';
import { type Advance, advance } from '../loop/advance.ts';
import { type Action, decide } from '../loop/decide.ts';
import { evolve } from '../loop/evolve.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import { idleLoop, type Loop } from '../state/loop.ts';
import {
  agentFinished,
  configOf,
  type Gate,
  gateFinished,
  loopStarted,
  type Run,
  type Start,
  someProcess,
} from './facts.ts';

/** When every story begins. */
export const storyStartMs = Date.parse('2026-11-01T12:00:00.000Z');

type WithoutId<Command> = Command extends LoopCommand ? Omit<Command, 'id'> : never;

/** One loop built fact by fact, as the runner would: it carries out no effects, it only records their results. */
export class Story {
  loop: Loop = idleLoop(configOf());
  facts: readonly RecordedFact[] = [];
  nowMs = storyStartMs;
  epoch = 1;
  #commands = 0;

  /** Records facts and what follows from them. */
  tell(...facts: readonly Fact[]): this {
    for (const fact of facts) {
      const at = new Date(this.nowMs).toISOString();
      const recorded: RecordedFact = { ...fact, seq: this.loop.journal.seq + 1, at, epoch: this.epoch };
      this.facts = [...this.facts, recorded];
      this.loop = evolve(this.loop, recorded);
    }
    return this;
  }

  /** What would happen next. */
  next(elapsedMs = 0): Action {
    return decide(this.loop, { nowMs: this.nowMs, elapsedMs });
  }

  /** Records all that follows by itself, and returns the effect after it. */
  advance(elapsedMs = 0): Advance['action'] {
    const { facts, action } = advance(this.loop, { nowMs: this.nowMs, elapsedMs });
    this.tell(...facts);
    return action;
  }

  /** Gives a command; the facts it results in are the last ones recorded. */
  command(command: WithoutId<LoopCommand>): this {
    this.#commands += 1;
    return this.tell(...accept(this.loop, { ...command, id: `command-${this.#commands}` }));
  }

  /** Lets time pass. */
  pass(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** The owner dies and another one takes over. */
  takeOver(): this {
    this.epoch += 1;
    this.tell({ type: 'segment.opened', data: { segment: `${this.epoch}-1`, owner: someProcess, previous: null } });
    return this.tell({ type: 'loop.recovered', data: { problems: [] } });
  }

  /** Waits until any wait is over and begins the next attempt. */
  begin(elapsedMs = 0): this {
    let action = this.advance();
    if (action.type === 'wait') {
      this.nowMs = Math.max(this.nowMs, Date.parse(action.until));
      action = this.advance();
    }
    if (action.type !== 'begin') throw new Error(`expected the loop to begin, but it wants to ${action.type}`);
    const { type: _type, guidance, ...begun } = action;
    return this.tell({ type: 'iteration.started', data: { ...begun, guidance: [...guidance], elapsedMs } });
  }

  /** Begins an attempt and lets the agent run to its end. */
  run(run: Run = {}): this {
    this.begin();
    this.tell({ type: 'agent.started', data: { ...this.attempt, process: someProcess } });
    return this.tell(agentFinished(this.attempt, run));
  }

  /** Runs the gate of the attempt under way. */
  gate(gate: Gate): this {
    const why = gate.isPeriodic === true ? { isPeriodic: true as const } : {};
    this.tell({ type: 'gate.started', data: { ...this.attempt, ...why } });
    return this.tell(gateFinished(this.attempt, gate));
  }

  /** Lets the hooks of a step of the attempt under way run to their end. */
  hooks(
    point: HookStep,
    result: Partial<Omit<FactData<'hooks.finished'>, 'iteration' | 'attempt' | 'point'>> = {},
  ): this {
    this.tell({ type: 'hooks.started', data: { ...this.attempt, point } });
    return this.tell({ type: 'hooks.finished', data: { ...this.attempt, point, results: [], ...result } });
  }

  /** Takes a new attempt to a stage. */
  reach(stage: CurrentAttempt['stage'], run: Run = { claimed: true }): this {
    this.begin();
    return stage === 'begun' ? this : this.reachFromHere(stage, run);
  }

  /** Takes the attempt that has begun to a later stage. */
  reachFromHere(stage: Exclude<CurrentAttempt['stage'], 'begun'>, run: Run = { claimed: true }): this {
    this.tell({ type: 'agent.started', data: { ...this.attempt, process: someProcess } });
    if (stage === 'executing') return this;
    this.tell(agentFinished(this.attempt, run));
    if (stage === 'executed') return this;
    this.tell({ type: 'gate.started', data: this.attempt });
    return stage === 'verifying' ? this : this.tell(gateFinished(this.attempt, { verdict: 'failed' }));
  }

  /** The attempt under way. */
  get attempt(): { readonly iteration: number; readonly attempt: number } {
    const { current } = this.loop.position;
    if (current === undefined) throw new Error('no attempt is under way');
    return { iteration: current.iteration, attempt: current.attempt };
  }

  /** The names of the facts recorded since one. */
  typesSince(seq: number): readonly string[] {
    return this.facts.filter((fact) => fact.seq > seq).map(({ type }) => type);
  }
}

/** A story whose loop has started; without a baseline unless it asks for one. */
export function startedStory({ config = {}, ...start }: Start = {}): Story {
  return new Story().tell(loopStarted({ ...start, config: { baseline: false, iterationDelay: '0', ...config } }));
}
