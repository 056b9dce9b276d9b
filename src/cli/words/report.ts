import type { LoopReport } from '../../app/index.ts';
import { roughDuration, shellWord } from '../../base/index.ts';
import type { IterationRow, IterationSign, Report, ReportedCheck } from '../../core/index.ts';
import type { ProofLevel, TestCounts } from '../../protocol/index.ts';
import { localInstant } from '../output/instants.ts';
import { shortDuration } from '../output/plain.ts';
import { bestText, shortId } from './best-iteration.ts';
import { type ChainText, chainSteps, chainText } from './chain.ts';
import { changedAmount } from './changes.ts';
import { phraseExplanation } from './explanation.ts';
import type { Advice } from './next-steps.ts';
import { noteText } from './notes.ts';
import { returnsText } from './pace.ts';
import { costText } from './spent.ts';

/** How a statement is marked. */
export type Tone = 'good' | 'look' | 'bad' | 'plain';

/** A report in the words of the command line, for every output format. */
export interface ReportText {
  readonly id: string;
  readonly task: string;
  readonly badge: { readonly word: string; readonly tone: Tone };
  /** How many things to review before using the result. */
  readonly caution?: string;
  /** One sentence. */
  readonly headline: string;
  readonly because: readonly string[];
  /** Names and values: agent, time, cost. */
  readonly figures: readonly (readonly [string, string])[];
  /** The evidence for the result. */
  readonly trust: readonly TrustText[];
  readonly iterations: readonly RowText[];
  /** A sentence about iterations that are not listed. */
  readonly omitted?: string;
  /** The loops that this one continues and those that continue it. */
  readonly chain?: ChainText;
  readonly interludes: readonly string[];
  readonly files: readonly FileText[];
  readonly filesNote?: string;
  /** The agent's own words. */
  readonly lastWords?: string;
  readonly next: readonly Advice[];
}

/** One statement about the result; about a check, if it has a command. */
export interface TrustText {
  readonly tone: Tone;
  readonly command?: string;
  readonly text: string;
}

/** One iteration in the table. */
export interface RowText {
  readonly number: string;
  readonly mark: string;
  readonly tone: Tone;
  readonly outcome: string;
  readonly failing: string;
  readonly files: string;
  readonly lines: string;
  readonly cost: string;
  readonly time: string;
}

/** A changed file. */
export interface FileText {
  readonly path: string;
  readonly added: string;
  readonly removed: string;
  /** Binary or too large: its lines are not counted. */
  readonly isOpaque: boolean;
}

const maxFiles = 30;

/** Phrases a report for the command line. */
export function phraseReport({ report, loop, files, work, chain = [] }: LoopReport, nowMs: number): ReportText {
  const { headline, because, next: advised } = phraseExplanation(report.explanation, loop);
  const next = advised.filter(({ command }) => command !== `ralphd report ${loop.id}`);
  const { rows, omitted } = report.iterations;
  const { lastWords } = report.work;
  const chained = chainText(chain, report.loop.id);
  const review = reviewSteps(report, work);
  return {
    id: report.loop.id,
    task: report.loop.task,
    badge: badgeOf(report),
    ...cautionOf(report),
    headline,
    because,
    figures: figuresOf(report, files, nowMs),
    trust: trustOf(report),
    iterations: rows.map((row) => rowText(row, report)),
    ...(omitted === 0 ? {} : { omitted: `${omitted} iterations between the first five and these are not shown` }),
    ...(chained === undefined ? {} : { chain: chained }),
    interludes: interludesText(report, nowMs),
    files: (files ?? []).slice(0, maxFiles).map(fileText),
    ...filesNote(files, work),
    ...(lastWords === undefined || lastWords.trim() === '' ? {} : { lastWords }),
    next: [
      ...(report.loop.status === 'completed' ? [...review, ...next] : [...next, ...review]),
      ...chainSteps(chain, report.loop.id),
    ],
  };
}

function badgeOf({ loop: { status }, proof: { verified } }: Report): ReportText['badge'] {
  switch (status) {
    case 'completed':
      return verified ? { word: 'Proven', tone: 'good' } : { word: 'Claimed only', tone: 'plain' };
    case 'running':
    case 'completing':
    case 'idle':
      return { word: 'Running', tone: 'plain' };
    case 'paused':
      return { word: 'Paused', tone: 'look' };
    case 'crashed':
      return { word: 'Crashed', tone: 'bad' };
    case 'failed':
      return { word: 'Failed', tone: 'bad' };
    case 'aborted':
      return { word: 'Aborted', tone: 'bad' };
  }
}

function cautionOf({ proof: { doubts, accepted } }: Report): Pick<ReportText, 'caution'> {
  const count = doubts.length + (accepted.length === 0 ? 0 : 1);
  return count === 0 ? {} : { caution: `${counted(count, 'thing')} to look at first` };
}

function figuresOf(report: Report, files: LoopReport['files'], nowMs: number): ReportText['figures'] {
  const { loop, iterations, runningMs, best, interludes } = report;
  const when = (instant: string) => localInstant(Date.parse(instant), nowMs);
  const span =
    loop.startedAt === undefined ? '' : `, ${when(loop.startedAt)} to ${loop.isOver ? when(loop.untilAt) : 'now'}`;
  const idle = [
    ...(interludes.waitedMs < 1_000 ? [] : [`waited ${roughDuration(interludes.waitedMs)}`]),
    ...(interludes.pausedMs < 1_000 ? [] : [`paused for ${roughDuration(interludes.pausedMs)}`]),
  ];
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['agent', `${loop.agent}${loop.models.length === 0 ? '' : ` (${loop.models.join(', ')})`}`],
    ['worked', `${counted(iterations.finished, 'iteration')} in ${shortDuration(runningMs)}${span}`],
    ['idle', idle.length === 0 ? undefined : idle.join(', ')],
    ['claims', iterations.claims === 0 ? undefined : `${iterations.claims}, ${iterations.refusedClaims} refused`],
    ['cost', costText(report.spent)],
    ['used', usedText(report)],
    ['changed', changedText(report, files)],
    ['returns', returnsText(report.explanation.pace, report.loop.status)],
    ['best', report.loop.status === 'completed' ? undefined : bestText(best)],
    ...report.notes.map((note) => ['note', noteText(note)] as const),
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function usedText({ spent }: Report): string | undefined {
  const { runs, tokens, outputTokens, unreportedTokens, toolCalls, unreportedToolCalls } = spent;
  if (runs === unreportedTokens && runs === unreportedToolCalls) return undefined;
  const atLeast = (unreported: number) => (unreported === 0 ? '' : 'at least ');
  const parts = [
    ...(unreportedTokens === runs
      ? []
      : [`${atLeast(unreportedTokens)}${grouped(tokens)} tokens, ${grouped(outputTokens)} of them output`]),
    ...(unreportedToolCalls === runs ? [] : [`${atLeast(unreportedToolCalls)}${counted(toolCalls, 'tool call')}`]),
  ];
  return parts.join('; ');
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

function changedText({ work }: Report, files: LoopReport['files']): string | undefined {
  const { commit } = work;
  const committed =
    commit === undefined
      ? ''
      : `; HEAD is ${shortId(commit.id)}${commit.isWhole ? '' : ', and not everything is committed'}`;
  const count = files?.length ?? work.changedFiles;
  if (count === undefined) return undefined;
  const sum = (side: 'added' | 'removed') => (files ?? []).reduce((total, file) => total + (file[side] ?? 0), 0);
  const isCounted = files !== undefined && files !== null;
  return `${changedAmount(count, isCounted ? { added: sum('added'), removed: sum('removed') } : undefined)}${committed}`;
}

const levels: Readonly<Record<ProofLevel, string>> = {
  none: 'nothing was checked',
  tree: 'the checks ran in the work tree',
  clean: 'the checks ran in a clean checkout',
  sealed: 'the checks ran sealed off from the agent',
};

/** Where the checks ran. */
export function levelText(level: ProofLevel): string {
  return levels[level];
}

function trustOf({ proof, tests, loop }: Report): ReportText['trust'] {
  const { verified, level, iteration, checks, doubts, warnings, tampered, accepted } = proof;
  const isDone = loop.status === 'completed';
  const ran =
    iteration === undefined ? 'the checks have not run' : `ralphd last ran the checks after iteration ${iteration}`;
  return [
    ...(isDone
      ? [{ tone: verified ? ('good' as const) : ('look' as const), text: `proof: ${level} (${levelText(level)})` }]
      : [{ tone: 'plain' as const, text: ran }]),
    ...checks.map((check) => ({ tone: checkTone(check), command: check.command, text: checkText(check) })),
    ...(tests === undefined ? [] : [testsTrust(tests)]),
    ...tampered.map((path) => ({ tone: 'bad' as const, text: `${path} was changed, so the checks prove nothing` })),
    ...accepted.map((path) => ({ tone: 'look' as const, text: `${path} was changed, and you accepted the change` })),
    ...doubts.map(({ message }) => ({ tone: 'look' as const, text: message })),
    ...warnings.map((text) => ({ tone: 'look' as const, text })),
  ];
}

function checkTone({ now }: ReportedCheck): Tone {
  if (now === undefined) return 'plain';
  return now === 'passed' ? 'good' : 'bad';
}

function checkText({ before, now, exitCode, durationMs }: ReportedCheck): string {
  const exit = exitCode === undefined || now === 'passed' ? '' : ` (exit ${exitCode})`;
  const time = durationMs === undefined ? '' : ` in ${shortDuration(durationMs)}`;
  const result = now === undefined ? 'not run since the loop started' : `${verdictText(now)}${exit}${time}`;
  return `${result}${before === undefined ? '' : `; ${verdictText(before)} before the first iteration`}`;
}

function verdictText(verdict: string): string {
  return verdict.replaceAll('_', ' ');
}

function testsTrust({ before, now }: NonNullable<Report['tests']>): ReportText['trust'][number] {
  const was = before === undefined ? '' : `; ${passedText(before)} before the first iteration`;
  const flaky = now.flaky.length === 0 ? '' : `; ${now.flaky.length} flaky`;
  return { tone: now.failed === 0 && now.total > 0 ? 'good' : 'bad', text: `${passedText(now)} now${flaky}${was}` };
}

function passedText({ passed, total }: Pick<TestCounts, 'passed' | 'total'>): string {
  return `${passed} of ${counted(total, 'test')} passed`;
}

const signs: Readonly<Record<IterationSign, { readonly mark: string; readonly tone: Tone; readonly word: string }>> = {
  proven: { mark: '✓', tone: 'good', word: 'proven' },
  claimed: { mark: '◇', tone: 'plain', word: 'accepted unchecked' },
  better: { mark: '↑', tone: 'plain', word: 'progress' },
  still: { mark: '·', tone: 'plain', word: 'no progress' },
  refused: { mark: '✗', tone: 'bad', word: 'claim refused' },
  failed: { mark: '!', tone: 'bad', word: 'failed' },
  skipped: { mark: '»', tone: 'plain', word: 'skipped' },
  unknown: { mark: '?', tone: 'plain', word: 'progress unknown' },
  open: { mark: '▸', tone: 'plain', word: 'under way' },
};

function rowText(row: IterationRow, { loop }: Report): RowText {
  const { mark, tone } = signs[row.sign];
  const tries = row.attempts === 1 ? '' : `, attempt ${row.attempts}`;
  return {
    number: String(row.iteration),
    mark,
    tone,
    outcome: `${outcomeText(row, loop.status)}${tries}`,
    failing: failingText(row),
    files: row.files === null ? '?' : String(row.files),
    lines: row.lines === undefined ? '' : `+${row.lines.added} −${row.lines.removed}`,
    cost: row.costUsd === null ? '?' : `$${row.costUsd.toFixed(2)}`,
    time: row.durationMs === undefined ? '' : shortDuration(row.durationMs),
  };
}

/** The sign of an iteration, and its result in a few words. */
export function outcomeOf(row: IterationRow, status: Report['loop']['status']): { mark: string; word: string } {
  return { mark: signs[row.sign].mark, word: outcomeText(row, status) };
}

function outcomeText({ sign, claimed, verdict, failure }: IterationRow, status: Report['loop']['status']): string {
  if (sign === 'better' && claimed && verdict !== undefined) return 'claim refused, but progress';
  if (sign === 'failed' && failure !== undefined) return `failed: ${failure}`;
  if (sign === 'open' && status !== 'running') return 'interrupted';
  return signs[sign].word;
}

function failingText({ failedTests, failedBefore }: IterationRow): string {
  if (failedTests === undefined) return '';
  const change = failedBefore === undefined ? 0 : failedTests - failedBefore;
  return change === 0 ? String(failedTests) : `${failedTests} (${change > 0 ? '+' : '−'}${Math.abs(change)})`;
}

const causes = {
  delay: 'the delay between iterations',
  limit: "the provider's limit",
  environment: 'an environment problem',
  unknown: 'an unknown failure',
  reboot: 'a failed reboot',
  schedule: 'the schedule',
  rate: 'the bound on API calls per hour',
} as const;

function interludesText({ interludes }: Report, nowMs: number): readonly string[] {
  const { waits, pauses, counts } = interludes;
  const when = (instant: string) => localInstant(Date.parse(instant), nowMs);
  const spans = [
    ...waits.map(({ startedAt, endedAt, cause, message }) => ({
      startedAt,
      text: `${when(startedAt)} to ${when(endedAt)}: waited because of ${causes[cause]} (${message})`,
    })),
    ...pauses.map(({ startedAt, endedAt, reason, message }) => ({
      startedAt,
      text: `${when(startedAt)} to ${endedAt === undefined ? 'now' : when(endedAt)}: paused (${reason}): ${message}`,
    })),
  ];
  const left = counts.waits + counts.pauses - spans.length;
  const lines = spans.toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1)).map(({ text }) => text);
  return left === 0 ? lines : [`${left} earlier ones are not shown`, ...lines];
}

function fileText({ path, added, removed }: NonNullable<LoopReport['files']>[number]): FileText {
  if (added === null || removed === null) return { path, added: '', removed: '', isOpaque: true };
  return { path, added: `+${added}`, removed: `−${removed}`, isOpaque: false };
}

function filesNote(files: LoopReport['files'], work: LoopReport['work']): Pick<ReportText, 'filesNote'> {
  if (files === null && work !== undefined) {
    return { filesNote: 'The changed files cannot be listed here: the diffs are on the machine of its worker.' };
  }
  if (files === null) return { filesNote: 'The stored diffs were removed, so the changed files cannot be listed.' };
  const rest = (files?.length ?? 0) - maxFiles;
  return rest > 0 ? { filesNote: `${rest} more files changed.` } : {};
}

/** Commands that show the result; they come before those that act on the loop. */
function reviewSteps(
  { loop: { id, status, head }, proof, iterations }: Report,
  work: LoopReport['work'],
): readonly Advice[] {
  if (iterations.rows.length === 0) return [];
  const isProven = status === 'completed' && proof.verified;
  return [
    ...(head === undefined
      ? []
      : [{ command: diffLine(shortId(head), work), does: 'see what changed in tracked files since the loop started' }]),
    { command: `ralphd inspect ${id}`, does: 'see what the newest iteration did' },
    ...(isProven ? [{ command: `ralphd proof ${id} --markdown`, does: 'summarise the proof for a pull request' }] : []),
  ];
}

/** The work of a loop of a fleet is in the shared repository, and nowhere here until it is fetched. */
function diffLine(since: string, work: LoopReport['work']): string {
  if (work === undefined) return `git diff ${since}`;
  return `git fetch ${shellWord(work.repository)} ${work.branch} && git diff ${since} FETCH_HEAD`;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
