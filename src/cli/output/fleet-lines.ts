import { type FleetStatusReport, lackOf } from '../../app/index.ts';
import { roughDuration } from '../../base/index.ts';
import { columnLines } from './columns.ts';
import { blockedMs, dueSince, type FleetGroups, groupsOf } from './fleet-groups.ts';
import { localInstant } from './instants.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';

type Worker = FleetStatusReport['workers'][number];
type FleetLoop = FleetStatusReport['loops'][number];
type Account = FleetStatusReport['accounts'][number];

/** How a fleet is drawn. */
export interface FleetDrawing {
  readonly nowMs: number;
  readonly paint: Paint;
  readonly width: number;
  /** Every loop, and not only the first of each kind. */
  readonly all: boolean;
}

const mostOfAKind = 15;
const silentTicks = 6;
const mayBeFull = 120;

/** A fleet as lines: what needs a person first, then workers, loops by what they do, accounts and schedules. */
export function fleetLines(status: FleetStatusReport, drawing: FleetDrawing): readonly string[] {
  const groups = groupsOf(status, drawing.nowMs);
  return [
    ...headLines(status, groups, drawing),
    ...needLines(groups, drawing),
    ...section('Workers', workerLines(status.workers, drawing), drawing),
    ...section('At work', loopLines(groups.driven, drivenColumns(status, drawing), drawing), drawing),
    ...section('Next', loopLines(groups.next, nextColumns(drawing), drawing), drawing),
    ...section('Waiting', loopLines(groups.waiting, waitingColumns(status, drawing), drawing), drawing),
    ...section('Paused', loopLines(groups.paused, pausedColumns(), drawing), drawing),
    ...section('Accounts', accountLines(status.accounts, drawing), drawing),
    ...section('Schedules', scheduleLines(status.schedules, drawing), drawing),
  ];
}

function headLines(
  { workers, ended }: FleetStatusReport,
  { held, unserved, driven, next, waiting, paused }: FleetGroups,
  { paint, nowMs }: FleetDrawing,
): readonly string[] {
  const live = workers.filter(({ isLost }) => !isLost);
  const places = live.reduce((sum, { capacity }) => sum + capacity, 0);
  const oldest = Math.max(0, ...next.map((loop) => nowMs - dueSince(loop)));
  const parts = [
    [driven.length, `${driven.length} at work`],
    [next.length, `${next.length} next${oldest > 60_000 ? ` (the oldest waits ${roughDuration(oldest)})` : ''}`],
    [waiting.length, `${waiting.length} waiting`],
    [paused.length, `${paused.length} paused`],
    [held.length + unserved.length, `${held.length + unserved.length} for you`],
    [ended, `${ended} ended`],
  ] as const;
  const shown = parts.filter(([number]) => number > 0).map(([, text]) => text);
  return [
    paint.bold(`${count(live.length, 'worker')} with ${count(places, 'place')}`),
    shown.length === 0 ? 'No loops. Queue one: ralphd submit "TASK" --verify CMD' : shown.join(', '),
  ];
}

/** What goes on only when a person acts, with the command for it. */
function needLines({ held, unserved }: FleetGroups, drawing: FleetDrawing): readonly string[] {
  const { paint, all } = drawing;
  const needs = [
    ...held.map(({ id, why }) => [id, oneLine(why ?? 'set aside', 300), `ralphd fleet requeue ${id}`] as const),
    ...unserved.map((loop) => {
      const { what, fix } = lackOf(loop) ?? { what: '', fix: '' };
      return [loop.id, oneLine(`${what.charAt(0).toUpperCase()}${what.slice(1)}.`, 300), oneLine(fix, 300)] as const;
    }),
  ];
  const shown = all ? needs : needs.slice(0, mostOfAKind);
  const lines = shown.flatMap(([id, why, next]) => [
    `  ${paint.bad('✗')} ${id}`,
    `    ${why}`,
    `    ${paint.dim('next:')} ${next}`,
  ]);
  return section('Needs you', [...lines, ...moreLine(needs.length - shown.length, drawing)], drawing);
}

function workerLines(workers: readonly Worker[], { paint, width, nowMs }: FleetDrawing): readonly string[] {
  const [title = '', ...rows] = columnLines(
    [
      { title: 'worker', cells: workers.map(({ id }) => id.slice(0, 8)), rank: 0 },
      { title: 'state', cells: workers.map((worker) => stateOf(worker, nowMs)), rank: 1 },
      { title: 'loops', cells: workers.map(({ loops, capacity }) => `${loops}/${capacity}`), isRight: true, rank: 1 },
      { title: 'host', cells: workers.map(({ host }) => oneLine(host, 40)), rank: 2 },
      { title: 'pid', cells: workers.map(({ pid }) => String(pid)), isRight: true, rank: 5 },
      { title: 'version', cells: workers.map(({ version }) => oneLine(version, 20)), rank: 6 },
      { title: 'offers', cells: workers.map(offerText), rank: 4, isFlexible: true },
    ],
    width - 2,
  );
  if (workers.length === 0) return [];
  const colour = ({ isLost, draining, ticksSilent }: Worker) =>
    isLost ? paint.bad : draining || ticksSilent > silentTicks ? paint.warn : (text: string) => text;
  return [paint.dim(title), ...rows.map((row, index) => paintRow(row, workers[index], colour))];
}

function paintRow(
  row: string,
  worker: Worker | undefined,
  colour: (worker: Worker) => (text: string) => string,
): string {
  return worker === undefined ? row : colour(worker)(row);
}

function stateOf({ isLost, lostAt, draining, ticksSilent }: Worker, nowMs: number): string {
  if (isLost) return lostAt === null ? 'lost' : `lost ${roughDuration(nowMs - Date.parse(lostAt))}`;
  if (ticksSilent > silentTicks) return 'silent';
  return draining ? 'draining' : 'alive';
}

function offerText({ agents, accounts, labels }: Worker): string {
  const parts = [agents.join(' '), labels.length === 0 ? '' : `labels ${labels.join(' ')}`];
  return oneLine(
    [...parts, accounts === null ? '' : `accounts ${accounts.join(' ')}`].filter((part) => part !== '').join('; '),
    mayBeFull,
  );
}

interface LoopColumn {
  readonly title: string;
  readonly cell: (loop: FleetLoop) => string;
  readonly isRight?: true;
  readonly rank: number;
}

const priority: LoopColumn = {
  title: 'prio',
  cell: ({ priority: value }) => (value === 0 ? '' : String(value)),
  isRight: true,
  rank: 3,
};
const account: LoopColumn = { title: 'account', cell: ({ account: name }) => oneLine(name ?? '', 16), rank: 4 };
const tries: LoopColumn = {
  title: 'failed',
  cell: ({ crashes }) => (crashes === 0 ? '' : `${crashes}x`),
  isRight: true,
  rank: 5,
};
const asked: LoopColumn = {
  title: 'asked',
  cell: ({ commands }) => (commands === 0 ? '' : String(commands)),
  isRight: true,
  rank: 6,
};

function drivenColumns({ workers }: FleetStatusReport, { nowMs }: FleetDrawing): readonly LoopColumn[] {
  const hostOf = new Map(workers.map(({ id, host }) => [id, host]));
  const since = ({ ownedSince }: FleetLoop) =>
    ownedSince === null ? '' : roughDuration(nowMs - Date.parse(ownedSince));
  return [
    { title: 'on', cell: ({ worker }) => oneLine(hostOf.get(worker ?? '') ?? worker?.slice(0, 8) ?? '', 20), rank: 1 },
    { title: 'for', cell: since, isRight: true, rank: 2 },
    account,
    tries,
    asked,
  ];
}

function nextColumns({ nowMs }: FleetDrawing): readonly LoopColumn[] {
  const since = (loop: FleetLoop) => roughDuration(nowMs - dueSince(loop));
  return [{ title: 'waits', cell: since, isRight: true, rank: 2 }, priority, account, tries, asked];
}

function waitingColumns({ accounts }: FleetStatusReport, { nowMs }: FleetDrawing): readonly LoopColumn[] {
  const until = ({ wakeAt, account: name }: FleetLoop) => {
    const blocked = accounts.find((each) => each.name === name)?.blockedUntil;
    const ends = [wakeAt, blocked].flatMap((each) => (each ? [Date.parse(each)] : []));
    return ends.length === 0 ? '' : localInstant(Math.max(...ends), nowMs);
  };
  const why = ({ why: reason, account: name, wakeAt }: FleetLoop) =>
    wakeAt === null && name !== null ? 'its account is blocked' : oneLine(reason ?? '', 60);
  return [{ title: 'until', cell: until, rank: 1 }, account, tries, asked, { title: 'because', cell: why, rank: 7 }];
}

function pausedColumns(): readonly LoopColumn[] {
  return [account, asked];
}

/** Each with its id whole, so that it can be copied; what it does gets the room that is left. */
function loopLines(
  loops: readonly FleetLoop[],
  columns: readonly LoopColumn[],
  drawing: FleetDrawing,
): readonly string[] {
  if (loops.length === 0) return [];
  const { paint, width, all } = drawing;
  const shown = all ? loops : loops.slice(0, mostOfAKind);
  const [title = '', ...rows] = columnLines(
    [
      { title: 'loop', cells: shown.map(({ id }) => id), rank: 0 },
      ...columns.map(({ cell, ...column }) => ({ ...column, cells: shown.map(cell) })),
      { title: 'task', cells: shown.map((loop) => taskOf(loop)), rank: 8, isFlexible: true },
    ],
    width - 2,
  );
  return [paint.dim(title), ...rows, ...moreLine(loops.length - shown.length, drawing)];
}

/** An id begins with the first words of the task: only a task that says more is shown. */
function taskOf({ id, title }: FleetLoop): string {
  const words = oneLine(title, mayBeFull);
  const slug = words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return id.includes(slug) ? '' : words;
}

function moreLine(more: number, { paint }: FleetDrawing): readonly string[] {
  return more > 0 ? [paint.dim(`and ${more} more (--all shows them)`)] : [];
}

function accountLines(accounts: readonly Account[], { nowMs }: FleetDrawing): readonly string[] {
  return accounts.map((each) => {
    const { name, used, most, reserve, blockedUntil, blockedWhy, atOnce } = each;
    const parts = [
      `${used} of ${most ?? 'any number'} at once`,
      ...(atOnce === null ? [] : [`at most ${atOnce} now, since its provider was overloaded`]),
      ...(reserve === 0 ? [] : [`${reserve} kept from scheduled loops`]),
      ...(blockedMs(each, nowMs) > 0 ? [`blocked until ${localInstant(Date.parse(blockedUntil ?? ''), nowMs)}`] : []),
      ...(blockedMs(each, nowMs) > 0 && blockedWhy !== null ? [oneLine(blockedWhy, 200)] : []),
    ];
    return `${oneLine(name, 40)}: ${parts.join(', ')}`;
  });
}

function scheduleLines(schedules: FleetStatusReport['schedules'], { nowMs }: FleetDrawing): readonly string[] {
  return schedules.map(({ id, every, zone, nextMs, missed }) => {
    const rule = missed === 'one' ? '' : `, missed runs: ${missed}`;
    return `${id}: ${oneLine(every, 60)} (${zone})${rule}, next ${localInstant(nextMs, nowMs)}`;
  });
}

function section(title: string, lines: readonly string[], { paint }: FleetDrawing): readonly string[] {
  return lines.length === 0
    ? []
    : ['', paint.bold(title), ...lines.map((line) => (line.startsWith('  ') ? line : `  ${line}`))];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
