import { columnsOf, scrub } from '../../../base/index.ts';
import type { ReportText, Tone } from '../../words/report.ts';
import { columnLines } from '../columns.ts';
import type { Paint } from '../paint.ts';
import { commandLines, oneLine, wrapLine } from '../plain.ts';
import type { Canvas } from '../rule-lines.ts';

const marks: Readonly<Record<Tone, string>> = { good: '✓', look: '!', bad: '✗', plain: '·' };
const widest = 100;
const maxWords = 12;

/** A report for a terminal. */
export function reportLines(text: ReportText, canvas: Canvas): string[] {
  const { paint } = canvas;
  const width = Math.min(canvas.width, widest);
  const inner = width - 2;
  const within = { paint, width: inner };
  const { badge, interludes, next } = text;
  return [
    ...headingLines(text, canvas),
    ...wrapped(`${marks[badge.tone]} ${text.headline}`, inner).map((line) => `  ${toned(badge.tone, paint)(line)}`),
    ...text.because.flatMap((line) => wrapped(line, inner)).map((line) => `  ${line}`),
    '',
    ...labelled('asked', oneLine(text.task, 500), within),
    ...text.figures.flatMap(([name, value]) => labelled(name, value, within)),
    ...section('can you trust it?', trustLines(text, within), paint),
    ...section('iterations', iterationLines(text, within), paint),
    ...section('chain of loops', chainLines(text, within), paint),
    ...section(
      'waits and pauses',
      interludes.flatMap((line) => wrapped(line, inner)),
      paint,
    ),
    ...section('changed files', fileLines(text, inner), paint),
    ...section("the agent's last words", wordLines(text.lastWords ?? '', inner), paint),
    ...section(
      'next',
      next.flatMap(({ command, does }) => [
        ...commandLines(scrub(command), inner),
        ...wrapLine(oneLine(does, 300), inner - 4).map((line) => paint.dim(`    ${line}`)),
      ]),
      paint,
    ),
  ];
}

/** The id and the result; where they do not fit on one line, the result stands below the id. */
function headingLines({ id, badge, caution }: ReportText, { paint, width }: Canvas): string[] {
  const result = `${badge.word}${caution === undefined ? '' : `, ${caution}`}`;
  const shown = `${toned(badge.tone, paint)(badge.word)}${caution === undefined ? '' : `, ${paint.warn(caution)}`}`;
  if (columnsOf(id) + 2 + columnsOf(result) <= width) return [`${paint.bold(id)}  ${shown}`];
  return [paint.bold(id), ...wrapped(result, width - 2).map((line) => `  ${toned(badge.tone, paint)(line)}`)];
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint.dim(`  ${title}`), ...lines.map((line) => `  ${line}`)];
}

function wrapped(text: string, width: number): readonly string[] {
  return wrapLine(oneLine(text, 600), width);
}

function labelled(name: string, value: string, { paint, width }: Canvas): string[] {
  const lines = wrapped(value, width - 10);
  return lines.map((line, index) => `  ${paint.dim((index === 0 ? name : '').padEnd(9))} ${line}`);
}

function toned(tone: Tone, paint: Paint): (line: string) => string {
  return { good: paint.good, look: paint.warn, bad: paint.bad, plain: (line: string) => line }[tone];
}

function trustLines({ trust }: ReportText, { paint, width }: Canvas): string[] {
  return trust.flatMap(({ tone, command, text }) =>
    wrapped(command === undefined ? text : `${command}: ${text}`, width - 2).map(
      (line, index) => `${index === 0 ? toned(tone, paint)(marks[tone]) : ' '} ${line}`,
    ),
  );
}

function iterationLines({ iterations, omitted }: ReportText, { paint, width }: Canvas): string[] {
  if (iterations.length === 0) return [];
  const hasCost = iterations.some(({ cost }) => cost !== '?');
  const column = (title: string, cellOf: (row: (typeof iterations)[number]) => string, rank: number) => ({
    title,
    cells: iterations.map(cellOf),
    rank,
  });
  const [heading = '', ...rows] = columnLines(
    [
      { ...column('#', ({ number }) => number, 0), isRight: true },
      column('', ({ mark }) => mark, 0),
      { ...column('outcome', ({ outcome }) => oneLine(outcome, 60), 0), isFlexible: true },
      { ...column('failing', ({ failing }) => failing, 1), isRight: true },
      { ...column('files', ({ files }) => files, 4), isRight: true },
      { ...column('lines', ({ lines }) => lines, 5), isRight: true },
      { ...column('cost', ({ cost }) => (hasCost ? cost : ''), 3), isRight: true },
      { ...column('time', ({ time }) => time, 2), isRight: true },
    ],
    width,
  );
  const coloured = rows.map((row, index) => toned(iterations[index]?.tone ?? 'plain', paint)(row));
  return [paint.dim(heading), ...coloured, ...(omitted === undefined ? [] : [paint.dim(`${omitted}`)])];
}

/** The id of each loop stands on a line of its own: it can be copied at any width. */
function chainLines({ chain }: ReportText, { paint, width }: Canvas): string[] {
  if (chain === undefined) return [];
  const loops = chain.loops.flatMap(({ id, status, iterations, cost, isThis }) => [
    `${isThis ? '▸' : '·'} ${isThis ? paint.bold(scrub(id)) : scrub(id)}`,
    ...wrapped(`${status}, iterations: ${iterations}, cost: ${cost}`, width - 2).map((line) => `  ${paint.dim(line)}`),
  ]);
  return [...loops, ...wrapped(`in all: ${chain.total}`, width)];
}

function fileLines({ files, filesNote }: ReportText, width: number): string[] {
  const rows = columnLines(
    [
      { title: '', cells: files.map(({ path }) => oneLine(path, 200)), rank: 0, isFlexible: true },
      { title: '', cells: files.map(({ added }) => added), rank: 1, isRight: true },
      {
        title: '',
        cells: files.map(({ removed, isOpaque }) => (isOpaque ? 'not text' : removed)),
        rank: 2,
        isRight: true,
      },
    ],
    width,
  ).slice(1);
  return [...rows, ...(filesNote === undefined ? [] : wrapped(filesNote, width))];
}

/** The agent's text is always quoted, so that none of its lines pass as ours. */
function wordLines(words: string, width: number): string[] {
  const lines = scrub(words)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => wrapped(line, width - 2));
  const left = lines.length - maxWords;
  return [...lines.slice(0, maxWords), ...(left > 0 ? [`… ${left} more lines`] : [])].map((line) => `│ ${line}`);
}
