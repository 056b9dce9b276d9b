import type { LoopStatus } from '../../app/index.ts';
import { columnsOf, padAfter, padBefore, roughDuration } from '../../base/index.ts';
import { isTerminal, nearestFirst } from '../../core/index.ts';
import type { RuleStanding, StoredView } from '../../protocol/index.ts';
import { localMinute } from './instants.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';
import { waitLeftMs } from './wait-left.ts';

/** The canvas and the time to render the table for. */
interface Drawing extends Canvas {
  readonly nowMs: number;
}

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly colour?: (text: string, row: number) => string;
  readonly isRight?: true;
}

const maxTaskWidth = 60;
/** Below this width the task column is useless and dropped. */
const minTaskWidth = 12;
const gap = '  ';
/** Below this width there is no room for a table. */
const minTableWidth = 60;

/** Loops as a table that fits the width: the start is dropped first, then the task; in the end each loop becomes a block. */
export function loopTable(views: readonly LoopStatus[], drawing: Drawing): readonly string[] {
  if (views.length === 0) return [];
  const { paint, width, nowMs } = drawing;
  if (width < minTableWidth) return loopBlocks(views, drawing);
  const columns = fitted(loopColumns(views, paint, nowMs), width);
  const left = width - columns.reduce((sum, column) => sum + columnWidth(column) + gap.length, 0);
  const tasks = {
    title: 'task',
    cells: views.map(({ view }) => oneLine(view.task, Math.min(maxTaskWidth, left))),
  };
  const all = left < minTaskWidth ? columns : [...columns, tasks];
  const heading = all.map((column) => padded(column, column.title)).join(gap);
  return [paint.dim(heading.trimEnd()), ...views.map((_, row) => rowOf(all, row))];
}

/** The id (never truncated), state and task of each loop, one below the other. */
function loopBlocks(views: readonly LoopStatus[], { paint, width, nowMs }: Drawing): readonly string[] {
  return views.flatMap((found) => {
    const { view, shownStatus } = found;
    const count = `${countText(view)} ${view.maxIterations === 1 ? 'iteration' : 'iterations'}`;
    const parts = [colourOf(found, paint)(shownStatus), count, nextStopText(found, nowMs)].filter(
      (part) => part !== '',
    );
    return [view.id, `  ${parts.join(', ')}`, `  ${paint.dim(oneLine(view.task, width - 2))}`];
  });
}

function colourOf({ shownStatus }: LoopStatus, paint: Paint): (text: string) => string {
  const colours = { completed: paint.good, running: paint.note, paused: paint.warn } as const;
  return colours[shownStatus as keyof typeof colours] ?? paint.bad;
}

function loopColumns(views: readonly LoopStatus[], paint: Paint, nowMs: number): readonly Column[] {
  return [
    { title: 'loop', cells: views.map(({ view }) => view.id) },
    {
      title: 'status',
      cells: views.map(({ shownStatus }) => shownStatus),
      colour: (text, row) => {
        const view = views[row];
        return view === undefined ? text : colourOf(view, paint)(text);
      },
    },
    { title: 'iterations', cells: views.map(({ view }) => countText(view)), isRight: true },
    { title: 'started', cells: views.map(({ view }) => startText(view)), colour: paint.dim },
    { title: 'next stop', cells: views.map((found) => nextStopText(found, nowMs)) },
  ];
}

/** Drops the start if the task would not fit beside it. */
function fitted(columns: readonly Column[], width: number): readonly Column[] {
  const taken = columns.reduce((sum, column) => sum + columnWidth(column) + gap.length, 0);
  return taken + minTaskWidth <= width ? columns : columns.filter(({ title }) => title !== 'started');
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
  return (column.isRight === true ? padBefore : padAfter)(text, columnWidth(column));
}

function columnWidth({ title, cells }: Column): number {
  return cells.reduce((widest, text) => Math.max(widest, columnsOf(text)), title.length);
}

/** Finished iterations of the maximum. */
function countText({ stats, maxIterations }: StoredView): string {
  return `${stats.iterations}/${maxIterations === 0 ? '∞' : maxIterations}`;
}

/** When a loop started, in local time. */
function startText({ startedAt }: StoredView): string {
  return startedAt === undefined ? '' : localMinute(Date.parse(startedAt));
}

/** What the loop waits for or what would stop it next; for an ended loop, what ended it. */
function nextStopText({ view, wakeAt, hostSession, landed }: LoopStatus, nowMs: number): string {
  const { status, wait, reason, rules } = view;
  const leftMs = wait === undefined ? 0 : waitLeftMs(wait, nowMs);
  if (leftMs > 0) return `waiting ${roughDuration(leftMs)}`;
  if (hostSession !== undefined) return `in a session of ${hostSession.agent}`;
  if (wakeAt !== undefined) return 'due, no process runs it';
  if (landed !== undefined) return `landed in ${oneLine(landed.into, 40)}`;
  if (status === 'completed') return view.worktree === undefined ? '' : 'not landed';
  if (isTerminal(status) || status === 'paused') return reason ?? '';
  const nearest = nearestRule(rules);
  return nearest === undefined ? '' : `${nearest.key ?? nearest.rule} ${Math.floor((nearest.near ?? 0) * 100)}%`;
}

/** The closest stop rule that is above zero. */
export function nearestRule(rules: readonly RuleStanding[]): RuleStanding | undefined {
  return nearestFirst(rules).find(({ near, set }) => near !== null && near > 0 && set !== 'success');
}
