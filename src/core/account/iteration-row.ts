import { limitOf, type Usage, usedOf, type Verdict } from '../../protocol/index.ts';
import { type AttemptAccount, type IterationAccount, lastAttempt } from './iteration-account.ts';

/** The result of an iteration in one word. */
export type IterationSign =
  /** The checks prove the task done. */
  | 'proven'
  /** The agent's claim was accepted without a check. */
  | 'claimed'
  /** It made progress, whether or not a claim was refused. */
  | 'better'
  /** It made no progress. */
  | 'still'
  /** It made no progress, and its claim was refused. */
  | 'refused'
  | 'failed'
  | 'skipped'
  /** Whether it made progress is unknown. */
  | 'unknown'
  /** It is under way, or was interrupted. */
  | 'open';

/** One iteration at a glance. */
export interface IterationRow {
  readonly iteration: number;
  readonly attempts: number;
  readonly sign: IterationSign;
  readonly startedAt: string;
  /** Missing while it is under way. */
  readonly endedAt?: string;
  /** The time of the attempt that counts. */
  readonly durationMs?: number;
  readonly claimed: boolean;
  readonly verdict?: Verdict;
  readonly failedTests?: number;
  /** The failing tests before it. */
  readonly failedBefore?: number;
  /** Null when unknown. */
  readonly files: number | null;
  readonly lines?: { readonly added: number; readonly removed: number };
  /** Of all attempts; null for what the agent did not report. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
  /** How much progress it made, 0 to 1. */
  readonly score?: number;
  readonly failure?: string;
}

/** An iteration in a few numbers. */
export function rowOf(account: IterationAccount): IterationRow {
  const { iteration, attempts, finished, testsBefore } = account;
  const { run, gate, endedAt, startedAt = '' } = lastAttempt(account) ?? {};
  return {
    iteration,
    attempts: attempts.at(-1)?.attempt ?? attempts.length,
    sign: signOf(account),
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(finished === undefined ? {} : { durationMs: finished.durationMs }),
    claimed: run?.claimed ?? false,
    ...(gate === undefined ? {} : { verdict: gate.verdict }),
    ...(gate?.tests === undefined ? {} : { failedTests: gate.tests.failed }),
    ...(testsBefore === undefined ? {} : { failedBefore: testsBefore.failed }),
    files: run?.changes.known === true ? run.changes.count : null,
    ...(run?.changes.lines === undefined ? {} : { lines: run.changes.lines }),
    costUsd: sumOf(attempts, (usage) => usage.costUsd),
    tokens: sumOf(attempts, (usage) => (tokenLimit === undefined ? undefined : usedOf(tokenLimit, usage))),
    ...(finished?.progress.score === undefined ? {} : { score: finished.progress.score }),
    ...(finished?.failure === undefined ? {} : { failure: finished.failure.message }),
  };
}

const tokenLimit = limitOf('max_tokens');

function sumOf(attempts: readonly AttemptAccount[], amountOf: (usage: Usage) => number | undefined): number | null {
  const amounts = attempts.map(({ run }) => (run?.usage === undefined ? undefined : amountOf(run.usage)));
  const reported = amounts.filter((amount) => amount !== undefined);
  return reported.length === 0 ? null : reported.reduce((sum, amount) => sum + amount, 0);
}

function signOf(account: IterationAccount): IterationSign {
  const { finished } = account;
  if (finished === undefined) return 'open';
  if (finished.completes === 'verified') return 'proven';
  if (finished.completes === 'trusted') return 'claimed';
  if (finished.status === 'skipped') return 'skipped';
  if (finished.status !== 'completed') return 'failed';
  if (finished.progress.made === null) return 'unknown';
  if (finished.progress.made) return 'better';
  const { gate } = lastAttempt(account) ?? {};
  return gate === undefined || gate.verdict === 'passed' || gate.isPeriodic === true ? 'still' : 'refused';
}
