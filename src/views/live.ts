import type { AgentActivity, Pulse, Verdict } from '../protocol/index.ts';

/** A check of the run of the gate that is under way. */
export interface SeenCheck {
  readonly index: number;
  readonly command: string;
  readonly since: string;
  /** Missing while it runs. */
  readonly verdict?: Verdict;
}

/** What pulses tell about the step under way, in bounded memory. */
export interface Live {
  readonly pulse?: Pulse;
  /** The run that the activities belong to. */
  readonly run: string;
  readonly activities: readonly AgentActivity[];
  readonly checks: readonly SeenCheck[];
  /** How many checks the gate has. */
  readonly count: number;
}

/** Nothing is under way. */
export const nothingLive: Live = { run: '', activities: [], checks: [], count: 0 };

/** An agent makes any number of them, and the rest is on disk. */
const maxActivities = 500;
const maxChecks = 100;

/** Takes one more pulse; undefined when a step is over. */
export function addPulse(live: Live, pulse: Pulse | undefined): Live {
  if (pulse === undefined) {
    const { pulse: _over, ...rest } = live;
    return rest;
  }
  return pulse.step === 'agent' ? withActivities(live, pulse) : withCheck(live, pulse);
}

/** Names one run of an agent. */
export function runOf({ epoch, iteration, attempt }: Pick<Pulse, 'epoch' | 'iteration' | 'attempt'>): string {
  return `${epoch}/${iteration}/${attempt}`;
}

function withActivities(live: Live, pulse: Extract<Pulse, { step: 'agent' }>): Live {
  const run = runOf(pulse);
  const before = run === live.run ? live.activities : [];
  const [first] = pulse.recent;
  const kept = first === undefined ? before : before.filter(({ number }) => number < first.number);
  return { pulse, run, activities: [...kept, ...pulse.recent].slice(-maxActivities), checks: [], count: 0 };
}

function withCheck(live: Live, pulse: Extract<Pulse, { step: 'check' }>): Live {
  const { index, command, since, verdict, count } = pulse;
  const others = live.checks.filter((check) => check.index < index);
  const check = { index, command, since, ...(verdict === undefined ? {} : { verdict }) };
  return { ...live, pulse, checks: [...others, check].slice(-maxChecks), count };
}
