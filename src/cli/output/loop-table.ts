import type { LoopView } from '../../app/index.ts';
import { roughDuration } from '../../base/index.ts';
import {
  isTerminal,
  nearestFirst,
  type RuleStanding,
  type ShownLoop,
  standings,
  waitLeftMs,
} from '../../core/index.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

type View = LoopView<ShownLoop>;

/** How a table of loops is drawn, and when. */
interface Drawing extends Canvas {
  readonly nowMs: number;
}

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly colour?: (text: string, row: number) => string;
  readonly isRight?: true;
}

const longestTask = 60;
/** A task of which less would be seen is not worth its column. */
const leastTask = 12;
const gap = '  ';

/** Loops as a table that fits its width: where there is little, first the start goes, then the task. */
export function loopTable(views: readonly View[], { paint, width, nowMs }: Drawing): readonly string[] {
  if (views.length === 0) return [];
  const columns = fitted(columnsOf(views, paint, nowMs), width);
  const left = width - columns.reduce((sum, column) => sum + columnWidth(column) + gap.length, 0);
  const tasks = { title: 'task', cells: views.map(({ loop }) => oneLine(loop.task, Math.min(longestTask, left))) };
  const all = left < leastTask ? columns : [...columns, tasks];
  const heading = all.map((column) => padded(column, column.title)).join(gap);
  return [paint.dim(heading.trimEnd()), ...views.map((_, row) => rowOf(all, row))];
}

function columnsOf(views: readonly View[], paint: Paint, nowMs: number): readonly Column[] {
  const colours = { completed: paint.good, running: paint.note, paused: paint.warn } as const;
  const colourOf = ({ shownStatus }: View) => colours[shownStatus as keyof typeof colours] ?? paint.bad;
  return [
    { title: 'loop', cells: views.map(({ loop }) => loop.id) },
    {
      title: 'status',
      cells: views.map(({ shownStatus }) => shownStatus),
      colour: (text, row) => {
        const view = views[row];
        return view === undefined ? text : colourOf(view)(text);
      },
    },
    { title: 'done', cells: views.map(({ loop }) => countText(loop)), isRight: true },
    { title: 'started', cells: views.map(({ loop }) => startText(loop)), colour: paint.dim },
    { title: 'next stop', cells: views.map((view) => nextStopText(view, nowMs)) },
  ];
}

/** Without the start where the task would have no room beside it. */
function fitted(columns: readonly Column[], width: number): readonly Column[] {
  const taken = columns.reduce((sum, column) => sum + columnWidth(column) + gap.length, 0);
  return taken + leastTask <= width ? columns : columns.filter(({ title }) => title !== 'started');
}

function rowOf(columns: readonly Column[], row: number): string {
  const last = columns.length - 1;
  const cells = columns.map((column, place) => {
    const text = column.cells[row] ?? '';
    const shown = place === last ? text : padded(column, text);
    return column.colour === undefined ? shown : column.colour(shown, row);
  });
  return cells.join(gap);
}

function padded(column: Column, text: string): string {
  return column.isRight === true ? text.padStart(columnWidth(column)) : text.padEnd(columnWidth(column));
}

function columnWidth({ title, cells }: Column): number {
  return cells.reduce((widest, { length }) => Math.max(widest, length), title.length);
}

function countText({ iteration, config: { maxIterations } }: ShownLoop): string {
  return `${iteration}/${maxIterations === 0 ? '∞' : maxIterations}`;
}

function startText({ startedAt = '' }: ShownLoop): string {
  return startedAt.slice(0, 16).replace('T', ' ');
}

/** What holds a loop up, or would end it next; for one that is over, what ended it. */
function nextStopText({ loop }: View, nowMs: number): string {
  const leftMs = waitLeftMs(loop, nowMs);
  if (leftMs > 0) return `waits ${roughDuration(leftMs)}`;
  if (loop.status === 'completed') return '';
  if (isTerminal(loop.status) || loop.status === 'paused') return loop.reason ?? '';
  const nearest = nearestRule(loop);
  return nearest === undefined ? '' : `${nearest.key ?? nearest.rule} ${Math.floor((nearest.near ?? 0) * 100)}%`;
}

/** The stop rule that is nearest, of those that have moved at all. */
export function nearestRule(loop: ShownLoop): RuleStanding | undefined {
  return nearestFirst(standings(loop)).find(({ near, set }) => near !== null && near > 0 && set !== 'success');
}
