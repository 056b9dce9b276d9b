import { summariseTests } from '../../core/index.ts';
import { countsOf, type LoopModel, type LoopState, refusedIn, rowsOf, type ShownRow } from '../../views/index.ts';
import { cell, clip, faint, type Line, line, type Part, pad, type Span, span, strong } from '../text.ts';
import type { ScreenWords } from '../words.ts';
import { bar } from './figures.ts';
import { age } from './times.ts';

/** What is shown of the iterations, and how. */
export interface HistoryView {
  readonly model: LoopModel;
  readonly state: LoopState;
  readonly words: ScreenWords;
  readonly columns: number;
  readonly nowMs: number;
  /** The iteration that the person has chosen. */
  readonly chosen?: number | undefined;
}

const blocks = '▁▂▃▄▅▆▇█';

/** The number of failing tests after each run of the gate, as bars; a run without tests is left out. */
function sparkline(values: readonly number[], columns: number): string {
  const shown = values.slice(-columns);
  const top = Math.max(1, ...shown);
  return shown.map((value) => (value === 0 ? '▁' : blocks.charAt(Math.min(7, Math.ceil((value / top) * 7))))).join('');
}

/** The failing tests before the first iteration, and after each one in which they were counted. */
function failingCounts({ model: { loop, history } }: Pick<HistoryView, 'model'>): readonly number[] {
  const before = loop.verification.baseline?.tests?.failed;
  const after = rowsOf(history).flatMap(({ failedTests }) => failedTests ?? []);
  return before === undefined ? after : [before, ...after];
}

/** How many tests fail, and how that has changed. */
export function testsRow(view: HistoryView): Line {
  const { model } = view;
  const tests = summariseTests(model.loop);
  if (tests === undefined) return line(label('tests'), 'none were counted yet');
  const counts = failingCounts(view);
  const [first, last, before] = [counts[0], counts.at(-1), counts.at(-2)];
  const iteration = rowsOf(model.history).findLast(({ failedTests }) => failedTests !== undefined)?.iteration;
  const when = iteration === undefined ? ' before the first iteration' : ` after ${iteration}`;
  const head = tests.failed === 0 ? `${tests.passed} of ${tests.total} pass` : `${tests.failed} of ${tests.total} fail`;
  const chart =
    counts.length < 2 ? [] : line('  ', faint(String(first)), ' ', sparkline(counts, 16), ' ', faint(String(last)));
  const change = last === undefined || before === undefined ? '' : `  ${changeText(last - before)}`;
  const flaky = tests.flaky.length === 0 ? '' : `; ${tests.flaky.length} flaky`;
  return line(label('tests'), `${head}${when}`, chart, `${change}${flaky}`);
}

/** The same for a small terminal. */
export function shortTestsRow(view: HistoryView): Line {
  const tests = summariseTests(view.model.loop);
  if (tests === undefined) return line('tests not counted yet');
  const [last, before] = failingCounts(view).slice(-2).toReversed();
  const change =
    last === undefined || before === undefined ? '' : `, ${changeText(last - before).replace(/ than.*/u, '')}`;
  return line(
    tests.failed === 0
      ? `tests ${tests.passed} of ${tests.total} pass`
      : `tests ${tests.failed} of ${tests.total} fail${change}`,
  );
}

/** The signs of the newest iterations. */
export function shortSoFarRow(view: HistoryView): Line {
  const rows = rowsOf(view.model.history).slice(-Math.max(1, view.columns - 8));
  return line('so far ', rows.length === 0 ? 'no iteration yet' : rows.map((row) => signOf(row, view)));
}

function changeText(change: number): string {
  if (change === 0) return 'as many as before';
  return change < 0 ? `${-change} fewer than before` : `${change} more than before`;
}

/** How often claims were refused, and the result of each check when they last ran. */
export function gateRow({ model, columns }: HistoryView): Line {
  const { loop, history } = model;
  const refused = refusedIn(history);
  const { latest, baseline } = loop.verification;
  const checks = latest?.result.checks ?? baseline?.checks ?? [];
  if (loop.gate.checks.length === 0) return line(label('gate'), 'no checks: a claim is accepted without proof');
  const head = [
    ...(refused === 0 ? [] : [`${refused} refused`]),
    latest === undefined
      ? baseline === undefined
        ? 'not run yet'
        : 'before the first iteration'
      : `after ${latest.iteration}`,
  ].join('; ');
  const room = Math.max(8, Math.floor((columns - 9 - head.length) / Math.max(1, checks.length)) - 4);
  const results = checks.flatMap(({ command, verdict }) => [
    span('  '),
    verdict === 'passed' ? span('✓', 'proof') : span('✗', 'bad'),
    span(' '),
    ...cut(command, room),
  ]);
  return line(label('gate'), head, results);
}

/** A command cut in the middle: its program and what it is about are at its ends. */
function cut(command: string, columns: number): Line {
  const flat = span(command).text;
  if (flat.length <= columns) return line(flat);
  const half = Math.floor((columns - 1) / 2);
  return clip(line(`${flat.slice(0, half)}…${flat.slice(flat.length - half)}`), columns);
}

/** The result of each iteration as a sign, and what the signs add up to. */
export function soFarRow(view: HistoryView, name = 'so far'): Line {
  const { model, columns } = view;
  const counts = countsOf(model.history);
  const texts = Object.entries(summaries).flatMap(([sign, text]) => {
    const count = counts[sign as keyof typeof summaries] ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const all = rowsOf(model.history);
  if (all.length === 0) return line(label(name), 'no iteration yet');
  const signs = all.slice(-Math.min(maxSigns, columns - 12));
  const room = columns - 12 - Math.min(signs.length, minSigns);
  // As many counts as fit beside the newest signs; the most important come first.
  const fitting = texts.findLastIndex((_, index) => texts.slice(0, index + 1).join(', ').length <= room) + 1;
  const summary = texts.slice(0, fitting).join(', ');
  const newest = signs.slice(-Math.max(minSigns, columns - 12 - summary.length));
  return line(
    label(name),
    newest.map((row) => signOf(row, view)),
    summary === '' ? '' : `   ${summary}`,
  );
}

const maxSigns = 60;
const minSigns = 15;

const summaries = {
  proven: 'proven',
  claimed: 'accepted unchecked',
  better: 'with progress',
  still: 'without',
  refused: 'no better',
  failed: 'failed',
  skipped: 'skipped',
  unknown: 'unknown',
} as const;

/** The sign of an iteration: green only for proof, red only for what went wrong. */
export function signOf(row: ShownRow, { words, model, state }: Pick<HistoryView, 'words' | 'model' | 'state'>): Span {
  const { mark } = words.outcome(row, model.shownStatus);
  if (row.sign === 'proven') return span(mark, state === 'green' ? 'plain' : 'proof');
  return span(mark, row.sign === 'refused' || row.sign === 'failed' ? 'bad' : 'plain');
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly side: 'left' | 'right';
  readonly show: (row: ShownRow, view: HistoryView) => Part;
}

const tableColumns: readonly Column[] = [
  { title: '#', width: 4, side: 'right', show: ({ iteration }) => String(iteration) },
  { title: '', width: 1, side: 'left', show: (row, view) => signOf(row, view) },
  { title: 'outcome', width: 23, side: 'left', show: outcomeText },
  {
    title: 'failing',
    width: 7,
    side: 'right',
    show: ({ failedTests }) => (failedTests === undefined ? '–' : String(failedTests)),
  },
  { title: '', width: 4, side: 'right', show: changeOf },
  {
    title: 'files',
    width: 5,
    side: 'right',
    show: ({ files, sign }) => (files === null ? (sign === 'open' ? '' : '?') : String(files)),
  },
  {
    title: 'cost',
    width: 7,
    side: 'right',
    show: ({ costUsd, sign }) => (costUsd === null ? (sign === 'open' ? '' : '?') : `$${costUsd.toFixed(2)}`),
  },
  { title: 'time', width: 8, side: 'right', show: timeOf },
  {
    title: ' progress',
    width: 9,
    side: 'left',
    show: ({ score }) => (score === undefined ? '' : line(' ', bar({ share: score }, 8))),
  },
];
const gap = ' ';

/** The heading of the table, and its rows with the newest first. */
export function iterationTable(view: HistoryView, rows: number): readonly Line[] {
  const { columns, model, chosen } = view;
  const taken = tableColumns.reduce((sum, { width }) => sum + width + gap.length, 0);
  const whatWidth = columns - taken - 3;
  const newest = rowsOf(model.history).toReversed();
  const place = chosen === undefined ? 0 : newest.findIndex(({ iteration }) => iteration === chosen);
  const first = Math.max(0, Math.min(place - Math.floor(rows / 2), newest.length - rows));
  const heading = line(
    tableColumns.map(({ title, width, side }) => line(gap, cell(title, width, side))).flat(),
    whatWidth < 12 ? '' : '  what',
  );
  const lines = newest.slice(first, first + rows).map((row) => {
    const cells = tableColumns.flatMap(({ width, side, show }) => line(gap, cell(show(row, view), width, side)));
    const all = whatWidth < 12 ? cells : line(cells, '  ', faint(clipText(row.what, whatWidth)));
    return row.iteration === chosen
      ? pad(
          all.map(({ text }) => ({ text, tone: 'rest' })),
          columns,
          'rest',
        )
      : all;
  });
  return [line(heading.map(({ text }) => faint(text))), ...lines];
}

function clipText(text: string, columns: number): string {
  return clip(line(text), columns)
    .map((each) => each.text)
    .join('');
}

function outcomeText(row: ShownRow, { words, model, state }: HistoryView): Part {
  const isBest = model.view.best?.iteration === row.iteration && state === 'stopped';
  const tries = row.attempts > 1 && row.sign !== 'open' ? `, attempt ${row.attempts}` : '';
  // The sign says whether there was progress.
  const [word = ''] =
    row.sign === 'open'
      ? [openText(row, model)]
      : (row.failed ?? words.outcome(row, model.shownStatus).word).split(',');
  return isBest ? line(`${word}${tries}`, '  ', strong('best')) : `${word}${tries}`;
}

function openText({ attempts }: ShownRow, { view, shownStatus }: LoopModel): string {
  if (shownStatus !== 'running') return 'interrupted';
  const again = attempts > 1 ? `, attempt ${attempts}` : '';
  return `${view.current === undefined ? 'waits' : stages[view.current.stage]}${again}`;
}

const stages = {
  begun: 'is prepared',
  executing: 'the agent works',
  executed: 'is judged',
  verifying: 'the checks run',
  verified: 'is judged',
} as const;

function changeOf({ failedTests, failedBefore }: ShownRow): string {
  if (failedTests === undefined || failedBefore === undefined) return '';
  const change = failedTests - failedBefore;
  if (change === 0) return '±0';
  return change < 0 ? `−${-change}` : `+${change}`;
}

function timeOf({ durationMs, startedAt, sign }: ShownRow, { nowMs, state }: HistoryView): string {
  if (durationMs !== undefined) return age(durationMs);
  const runs = state === 'running' || state === 'verifying';
  return sign === 'open' && runs ? age(nowMs - Date.parse(startedAt)) : '';
}

function label(name: string): Span {
  return span(` ${name.padEnd(6)} `);
}
