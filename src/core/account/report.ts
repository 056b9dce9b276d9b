import type {
  Check,
  FactData,
  ProofLevel,
  RecordedFact,
  Status,
  TestCounts,
  TestSummary,
  Verdict,
} from '../../protocol/index.ts';
import { explain } from '../explain/explain.ts';
import type { Explanation } from '../explain/explanation.ts';
import { type DescribedDoubt, describeDoubts } from '../gate/doubt-words.ts';
import { warningsOf } from '../gate/doubts.ts';
import { lineOfCommand } from '../gate/proof-bundle.ts';
import { type BestResult, bestResult } from '../progress/best-iteration.ts';
import { summariseTests } from '../progress/test-summary.ts';
import type { Loop } from '../state/loop.ts';
import type { Spent } from '../state/spent.ts';
import type { PersonNote } from '../state/supervision.ts';
import { type Interludes, interludesOf } from './interludes.ts';
import { accountsOf, lastAttempt } from './iteration-account.ts';
import { type IterationRow, type IterationSign, rowOf } from './iteration-row.ts';

// Data only, so that a terminal, a document and a page can each phrase it in their own way.

/** The task of a loop, its result, and how well that is proven. */
export interface Report {
  readonly loop: {
    readonly id: string;
    readonly task: string;
    readonly status: Status | 'idle';
    readonly agent: string;
    /** Every model that the agent named, in order of appearance. */
    readonly models: readonly string[];
    readonly startedBy: string;
    readonly startedAt?: string;
    /** When it ended, or when its newest fact was written. */
    readonly untilAt: string;
    readonly isOver: boolean;
    /** The commit that was checked out when it started. */
    readonly head?: string;
  };
  readonly explanation: Explanation;
  readonly proof: {
    readonly verified: boolean;
    readonly level: ProofLevel;
    /** The iteration after which the checks last ran. */
    readonly iteration?: number;
    readonly verdict?: Verdict;
    readonly checks: readonly ReportedCheck[];
    readonly doubts: readonly DescribedDoubt[];
    readonly warnings: readonly string[];
    /** Guarded files that had been changed when the checks last ran. */
    readonly tampered: readonly string[];
    /** Guarded files whose change the user accepted. */
    readonly accepted: readonly string[];
  };
  readonly tests?: { readonly before?: TestCounts; readonly now: TestSummary };
  readonly best?: BestResult;
  readonly spent: Spent;
  /** The newest notes of people. */
  readonly notes: readonly PersonNote[];
  /** Time in which the loop ran, and the agent's part of it. */
  readonly runningMs: number;
  readonly agentMs: number;
  readonly interludes: Interludes;
  readonly iterations: {
    /** Those that count. */
    readonly finished: number;
    readonly claims: number;
    readonly refusedClaims: number;
    readonly bySign: Readonly<Partial<Record<IterationSign, number>>>;
    /** The first and the newest, oldest first. */
    readonly rows: readonly IterationRow[];
    /** How many are left out between those two. */
    readonly omitted: number;
  };
  readonly work: {
    /** The trees before the first change and after the newest. */
    readonly trees?: { readonly before: string; readonly after: string };
    /** Number of files that changed since the start, as the gate counted them. */
    readonly changedFiles?: number;
    readonly commit?: { readonly id: string; readonly isWhole: boolean };
    /** The end of the agent's newest answer: quoted, never trusted. */
    readonly lastWords?: string;
  };
}

/** A check, with its result before the first iteration and its newest. */
export interface ReportedCheck {
  readonly command: string;
  readonly before?: Verdict;
  readonly now?: Verdict;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

/** What is not in the facts: how the loop is shown, and the current time. */
export interface ReportContext {
  readonly nowMs: number;
  readonly shownStatus: Status | 'idle';
}

const firstRows = 5;
const newestRows = 25;

/** The report of a loop, from its state and its whole journal. */
export function reportOf(loop: Loop, facts: readonly RecordedFact[], context: ReportContext): Report {
  const { origin, outcome, totals } = loop;
  const sums = sumsOf(facts);
  const tests = summariseTests(loop);
  const before = loop.verification.baseline?.tests;
  const best = bestResult(loop);
  return {
    loop: {
      id: loop.id,
      task: origin.task,
      status: context.shownStatus,
      agent: origin.agent,
      models: sums.models,
      startedBy: origin.startedBy,
      ...(origin.startedAt === undefined ? {} : { startedAt: origin.startedAt }),
      untilAt: outcome.endedAt ?? facts.at(-1)?.at ?? new Date(context.nowMs).toISOString(),
      isOver: outcome.endedAt !== undefined,
      ...(sums.head === undefined ? {} : { head: sums.head }),
    },
    explanation: explain(loop, context),
    proof: proofOf(loop, sums.accepted),
    ...(tests === undefined ? {} : { tests: { now: tests, ...(before === undefined ? {} : { before }) } }),
    ...(best === undefined ? {} : { best }),
    spent: totals.spent,
    notes: loop.supervision.notes ?? [],
    runningMs: totals.runningMs,
    agentMs: totals.stats.totalExecutionMs,
    interludes: interludesOf(facts, context.nowMs),
    iterations: { finished: loop.position.finished, ...sums.iterations },
    work: { ...sums.work, ...changedFiles(loop) },
  };
}

function changedFiles({ verification: { latest } }: Loop): Pick<Report['work'], 'changedFiles'> {
  const count = latest?.result.changedFiles;
  return count === undefined ? {} : { changedFiles: count };
}

function proofOf(loop: Loop, accepted: readonly string[]): Report['proof'] {
  const { baseline, latest } = loop.verification;
  const ofCommand = (checks: readonly Check[] | undefined, line: string) =>
    checks?.find(({ command }) => command === line);
  return {
    verified: loop.outcome.verified,
    level: loop.outcome.proof ?? 'none',
    ...(latest === undefined ? {} : { iteration: latest.iteration, verdict: latest.result.verdict }),
    checks: loop.gate.checks.map(lineOfCommand).map((command) => {
      const before = ofCommand(baseline?.checks, command);
      const now = ofCommand(latest?.result.checks, command);
      return {
        command,
        ...(before === undefined ? {} : { before: before.verdict }),
        ...(now === undefined ? {} : { now: now.verdict, durationMs: now.durationMs }),
        ...(now?.exitCode === undefined ? {} : { exitCode: now.exitCode }),
      };
    }),
    doubts: describeDoubts(loop),
    warnings: warningsOf(loop),
    tampered: latest?.result.tampered ?? [],
    accepted,
  };
}

interface Sums {
  readonly head?: string;
  readonly models: readonly string[];
  readonly accepted: readonly string[];
  readonly iterations: Omit<Report['iterations'], 'finished'>;
  readonly work: Report['work'];
}

/** What only the whole journal contains. */
function sumsOf(facts: readonly RecordedFact[]): Sums {
  const started = facts.find((fact) => fact.type === 'loop.started');
  const accepted = facts.flatMap((fact) => (fact.type === 'gate.accepted' ? fact.data.changed : []));
  const runs = facts.flatMap((fact) => (fact.type === 'agent.finished' ? [fact.data] : []));
  return {
    ...(started?.data.head === undefined ? {} : { head: started.data.head }),
    models: [...new Set(runs.flatMap(({ model }) => model ?? []))],
    accepted: [...new Set(accepted)],
    iterations: iterationsIn(facts),
    work: workOf(runs),
  };
}

function workOf(runs: readonly FactData<'agent.finished'>[]): Report['work'] {
  const trees = runs.flatMap(({ changes }) => changes.trees ?? []);
  const [first, last] = [trees[0], trees.at(-1)];
  const commit = runs.at(-1)?.changes.commit;
  const summary = runs.findLast((run) => run.summary !== undefined)?.summary;
  return {
    ...(first === undefined || last === undefined ? {} : { trees: { before: first.before, after: last.after } }),
    ...(commit === undefined ? {} : { commit }),
    ...(summary === undefined ? {} : { lastWords: summary }),
  };
}

function iterationsIn(facts: readonly RecordedFact[]): Sums['iterations'] {
  const bySign: Partial<Record<IterationSign, number>> = {};
  const first: IterationRow[] = [];
  let newest: IterationRow[] = [];
  let [claims, refusedClaims, omitted] = [0, 0, 0];
  for (const account of accountsOf(facts)) {
    const row = rowOf(account);
    bySign[row.sign] = (bySign[row.sign] ?? 0) + 1;
    if (row.claimed) claims += 1;
    if (row.claimed && lastAttempt(account)?.gate !== undefined && row.verdict !== 'passed') refusedClaims += 1;
    if (first.length < firstRows) first.push(row);
    else newest.push(row);
    if (newest.length <= newestRows) continue;
    newest = newest.slice(-newestRows);
    omitted += 1;
  }
  return { claims, refusedClaims, bySign, rows: [...first, ...newest], omitted };
}
