import type { AgentActivity, Pulse, RecordedFact } from '../../protocol/index.ts';
import { factLines, row } from '../output/fact-lines.ts';
import type { Paint } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import { type LineView, liveLine } from './live-line.ts';
import { type LiveStep, stepAfter } from './live-step.ts';

/** How much of a loop is shown. */
export type Verbosity = 'quiet' | 'normal' | 'verbose';

/** Turns the facts and pulses of a loop into lines, and into one line about its current step. */
export interface LoopLines {
  fact(fact: RecordedFact): readonly string[];
  pulse(pulse: Pulse | undefined): readonly string[];
  live(view: LineView): string | undefined;
}

/** How the lines look. */
export interface LoopLinesOptions {
  readonly paint: Paint;
  readonly verbosity: Verbosity;
  /** The agent at work, for advice that depends on it. */
  readonly agentName?: string | undefined;
}

/** Lines for a loop from its first fact on. */
export function createLoopLines({ paint, verbosity, agentName }: LoopLinesOptions): LoopLines {
  let step: LiveStep | undefined;
  let pulse: Pulse | undefined;
  let shown: ShownRun = { key: '', number: 0, isAdopted: false };

  const show = (next: Pulse & { step: 'agent' }, isOver: boolean): readonly string[] => {
    const key = `${next.epoch}/${next.iteration}/${next.attempt}`;
    const before = key === shown.key ? shown : { key, number: 0, isAdopted: false };
    const fresh = next.recent.filter(({ number, isOpen }) => number > before.number && (isOver || isOpen !== true));
    shown = { key, number: fresh.at(-1)?.number ?? before.number, isAdopted: next.isAdopted === true };
    const isNewlyAdopted = next.isAdopted === true && !before.isAdopted;
    return [
      ...(isNewlyAdopted
        ? [row('agent', paint.note(`adopted the running agent, process ${next.pid ?? 'unknown'}`))]
        : []),
      ...fresh.flatMap((activity) => activityLines(activity, { paint, verbosity })),
    ];
  };
  const close = (): readonly string[] => {
    const last = pulse;
    pulse = undefined;
    return last?.step === 'agent' ? show(last, true) : [];
  };

  return {
    fact(fact) {
      const lines = fact.type === 'agent.finished' ? close() : [];
      step = stepAfter(step, fact);
      if (verbosity === 'quiet') return isProblem(fact) ? factLines(fact, paint, agentName) : [];
      return [...lines, ...factLines(fact, paint, agentName)];
    },
    pulse(next) {
      const before = next === undefined || next.step !== 'agent' ? close() : [];
      pulse = next;
      const lines = next?.step === 'agent' ? [...before, ...show(next, false)] : before;
      return verbosity === 'quiet' ? [] : lines;
    },
    live: (view) => (verbosity === 'quiet' ? undefined : liveLine(pulse ?? step, view)),
  };
}

/** The agent run that was last shown. */
interface ShownRun {
  readonly key: string;
  /** The number of the last activity shown. */
  readonly number: number;
  readonly isAdopted: boolean;
}

const maxMessageColumns = 400;

function activityLines({ kind, text }: AgentActivity, { paint, verbosity }: LoopLinesOptions): readonly string[] {
  if (kind === 'retry') return [row('retry', paint.warn(oneLine(text, 200)))];
  if (verbosity !== 'verbose') return [];
  return [
    kind === 'tool' ? row('tool', oneLine(text, 200)) : row('message', paint.dim(oneLine(text, maxMessageColumns))),
  ];
}

function isProblem(fact: RecordedFact): boolean {
  switch (fact.type) {
    case 'iteration.finished':
      return fact.data.failure !== undefined;
    case 'wait.scheduled':
      return fact.data.cause !== 'delay';
    case 'iteration.interrupted':
    case 'command.refused':
    case 'stop_rule.triggered':
    case 'loop.recovered':
    case 'state.restored':
      return true;
    default:
      return false;
  }
}
