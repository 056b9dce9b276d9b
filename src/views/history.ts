import {
  type AccountFold,
  foldAccount,
  type IterationAccount,
  type IterationRow,
  type IterationSign,
  lastAttempt,
  rowOf,
  testsChangedBy,
} from '../core/index.ts';
import type { RecordedFact } from '../protocol/index.ts';

/** An iteration for the table, with what stands out in it. */
export interface ShownRow extends IterationRow {
  readonly what: string;
  /** How the agent's run failed, in a few words. */
  readonly failed?: string;
}

/** The iterations of a loop so far, in bounded memory. */
export interface History {
  readonly fold: AccountFold;
  /** Those before the open one, oldest first; only the newest. */
  readonly closed: readonly ShownRow[];
  /** Of all closed ones. */
  readonly counts: Readonly<Partial<Record<IterationSign, number>>>;
  readonly refused: number;
  /** The number of the last fact that was taken. */
  readonly seq: number;
}

/** No iteration yet. */
export const noHistory: History = { fold: {}, closed: [], counts: {}, refused: 0, seq: 0 };

const maxRows = 500;

/** Takes one more fact; one that was taken before changes nothing. */
export function addFact(history: History, fact: RecordedFact): History {
  if (fact.seq <= history.seq) return history;
  const { open } = history.fold;
  const fold = foldAccount(history.fold, fact);
  if (open === undefined || fold.open?.iteration === open.iteration) return { ...history, fold, seq: fact.seq };
  const row = shownRow(open);
  return {
    fold,
    closed: [...history.closed, row].slice(-maxRows),
    counts: { ...history.counts, [row.sign]: (history.counts[row.sign] ?? 0) + 1 },
    refused: history.refused + (isRefused(row) ? 1 : 0),
    seq: fact.seq,
  };
}

/** The rows, oldest first, with the open one last. */
export function rowsOf({ closed, fold: { open } }: History): readonly ShownRow[] {
  return open === undefined ? closed : [...closed, shownRow(open)];
}

/** How many iterations ended in which way, the open one included. */
export function countsOf({ counts, fold: { open } }: History): History['counts'] {
  if (open === undefined) return counts;
  const { sign } = shownRow(open);
  return { ...counts, [sign]: (counts[sign] ?? 0) + 1 };
}

/** How often a claim was refused. */
export function refusedIn({ refused, fold: { open } }: History): number {
  return refused + (open !== undefined && isRefused(rowOf(open)) ? 1 : 0);
}

function isRefused({ claimed, verdict }: IterationRow): boolean {
  return claimed && verdict !== undefined && verdict !== 'passed';
}

function shownRow(account: IterationAccount): ShownRow {
  const row = rowOf(account);
  const failed = row.sign === 'failed' ? howItFailed(account) : undefined;
  return { ...row, sign: shownSign(row), what: whatHappened(account), ...(failed === undefined ? {} : { failed }) };
}

function howItFailed(account: IterationAccount): string | undefined {
  const ending = lastAttempt(account)?.run?.ending;
  switch (ending?.kind) {
    case 'exited':
      return ending.code === 0 ? undefined : `agent exited with ${ending.code}`;
    case 'signalled':
      return `agent died of ${ending.signal}`;
    case 'stopped':
      return stops[ending.by];
    case 'not_started':
      return 'agent did not start';
    case 'lost':
    case undefined:
      return undefined;
  }
}

/** A refused claim that fixed no test is no better, even if files changed: red means trouble, and nothing else does. */
function shownSign(row: IterationRow): IterationSign {
  const { sign, failedTests, failedBefore } = row;
  const fixedNone = failedTests !== undefined && failedBefore !== undefined && failedTests >= failedBefore;
  return sign === 'better' && isRefused(row) && fixedNone ? 'refused' : sign;
}

/** What a person would want to know about an iteration, in a few words. */
function whatHappened(account: IterationAccount): string {
  const { broken } = testsChangedBy(account);
  const { run, interrupted, guidance } = lastAttempt(account) ?? { guidance: 0 };
  const files = run === undefined ? [] : [...run.changes.created, ...run.changes.modified, ...run.changes.deleted];
  const [first, ...rest] = files;
  const parts = [
    ...(account.finished?.failure === undefined ? [] : [clause(account.finished.failure.message)]),
    ...(account.finished === undefined && interrupted !== undefined ? [clause(interrupted.message)] : []),
    ...(broken.length === 0 ? [] : [`${broken.length} ${broken.length === 1 ? 'test' : 'tests'} broken`]),
    ...(first === undefined ? [] : [rest.length === 0 ? first : `${first}, +${rest.length}`]),
    ...(guidance === 0 ? [] : ['with guidance']),
  ];
  return parts.join('; ');
}

/** Why ralphd ended a run, short enough for the table. */
const stops = {
  timeout: 'agent timed out',
  start: 'agent did not begin',
  idle: 'agent went quiet',
  output: 'too much output',
  result: 'agent did not exit',
  budget: 'budget was reached',
  redline: 'session was full',
  rejected: 'provider rejects it',
  memory: 'too much memory',
  request: 'agent was stopped',
} as const;

function clause(sentence: string): string {
  return sentence.replace(/\.$/u, '');
}
