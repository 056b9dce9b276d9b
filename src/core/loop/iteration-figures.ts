import { type FactData, limits, type Proof, type RecordedFact, usedOf } from '../../protocol/index.ts';

/** One finished iteration, in numbers; what is not known is missing. */
export interface IterationFigures {
  readonly iteration: number;
  readonly attempt: number;
  /** When it finished, RFC 3339 UTC. */
  readonly at: string;
  readonly status: FactData<'iteration.finished'>['status'];
  /** How much progress it made, from 0 to 100. */
  readonly score?: number;
  /** The difference from the iteration before it. */
  readonly scoreDelta?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly durationMs: number;
  /** Whether the checks proved its work. */
  readonly verification: 'passed' | 'failed' | 'skipped';
  readonly model?: string;
  /** The end of the agent's answer. */
  readonly summary?: string;
}

/** The newest iterations of a loop, and the run that has not been judged yet. */
export interface IterationLog {
  readonly run?: FactData<'agent.finished'>;
  readonly figures: readonly IterationFigures[];
}

const maxFigures = 100;

/** Takes one more fact; facts that are not about an iteration change nothing. */
export function logIteration(log: IterationLog, fact: RecordedFact): IterationLog {
  const { run, figures } = log;
  if (fact.type === 'iteration.started') return { figures };
  if (fact.type === 'agent.finished') return { figures, run: fact.data };
  if (fact.type !== 'iteration.finished') return log;
  const made = figuresOf(fact.data, { at: fact.at, run, before: figures.at(-1) });
  return { figures: [...figures, made].slice(-maxFigures) };
}

interface Surroundings {
  readonly at: string;
  readonly run: FactData<'agent.finished'> | undefined;
  readonly before: IterationFigures | undefined;
}

function figuresOf(data: FactData<'iteration.finished'>, { at, run, before }: Surroundings): IterationFigures {
  const { iteration, attempt, status, progress, quality, durationMs } = data;
  const score = progress.score === undefined ? undefined : Math.round(100 * progress.score);
  const known = {
    score,
    scoreDelta: score === undefined || before?.score === undefined ? undefined : score - before.score,
    tokens: usedAmount('tokens', run),
    costUsd: usedAmount('costUsd', run),
    model: run?.model,
    summary: run?.summary,
  };
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  const verification = quality === undefined ? 'skipped' : verificationOf[quality.proof];
  return { iteration, attempt, at, status, durationMs, verification, ...given };
}

const verificationOf: Readonly<Record<Proof, IterationFigures['verification']>> = {
  passed: 'passed',
  partly: 'failed',
  unknown: 'skipped',
  refused: 'failed',
  tampered: 'failed',
};

function usedAmount(total: string, run: FactData<'agent.finished'> | undefined): number | undefined {
  const limit = limits.find(({ reported }) => reported?.total === total);
  return limit === undefined ? undefined : usedOf(limit, run?.usage);
}
