import { roughDuration, shellWord } from '../../base/index.ts';
import type { FleetStatus } from '../../fleet/index.ts';
import type { CheckRow } from '../finding.ts';
import { count, type FleetExam } from './fleet-exam.ts';
import { lackOf } from './lack.ts';

type QueuedLoop = FleetStatus['loops'][number];

const longWaitMs = 10 * 60_000;
const longCommandSeconds = 60;
const manyCrashes = 2;

/** Which loops wait in vain or too long, and what holds them back. */
export function queueRows(exam: FleetExam): readonly CheckRow[] {
  const { loops } = exam.status;
  const rows = [
    ...lackRows(loops),
    ...waitRows(exam),
    ...heldRows(loops),
    ...crashRows(loops),
    ...accountRows(exam),
    ...answerRows(exam),
  ];
  if (rows.length > 0) return rows;
  const queued = loops.filter(({ status }) => status === 'queued').length;
  return [{ name: 'queue', level: 'ok', what: `${count(queued, 'loop')} queued, each with a worker that may take it` }];
}

/** Loops that nobody will ever take, by what is missing. */
function lackRows(loops: readonly QueuedLoop[]): readonly CheckRow[] {
  const stuck = loops.flatMap((loop) => {
    const lack = lackOf(loop);
    return lack === undefined ? [] : [{ loop, ...lack }];
  });
  return [...Map.groupBy(stuck, ({ what }) => what)].map(([what, same]) => ({
    name: 'queue',
    level: 'problem',
    what: `${named(same.map(({ loop }) => loop.id))}: ${what}`,
    fix: same[0]?.fix ?? '',
  }));
}

function waitRows({ status: { loops, workers, accounts }, health: { nowMs } }: FleetExam): readonly CheckRow[] {
  const blocked = new Set(accounts.filter(({ blockedUntil }) => isAhead(blockedUntil, nowMs)).map(({ name }) => name));
  const since = loops.flatMap(({ status, worker, lacks, wakeAt, queuedAt, account }) => {
    const isHeldBack = isAhead(wakeAt, nowMs) || (account !== null && blocked.has(account));
    if (status !== 'queued' || worker !== null || lacks !== null || isHeldBack) return [];
    return [Math.max(Date.parse(queuedAt), wakeAt === null ? 0 : Date.parse(wakeAt))];
  });
  const waitedMs = nowMs - Math.min(...since, nowMs);
  if (waitedMs < longWaitMs) return [];
  const live = workers.filter(({ isLost, draining }) => !isLost && !draining);
  const free = live.reduce((sum, { capacity, loops: used }) => sum + Math.max(0, capacity - used), 0);
  const what = `${count(since.length, 'loop')} could start, the oldest for ${roughDuration(waitedMs)}`;
  if (free === 0) {
    return [
      {
        name: 'queue',
        level: 'warning',
        what: `${what}: every worker is full`,
        fix: 'ralphd worker --capacity 8 --trust URL',
      },
    ];
  }
  const why = 'an account is at its limit, or the free workers are others';
  return [
    {
      name: 'queue',
      level: 'warning',
      what: `${what}, though ${count(free, 'place')} ${free === 1 ? 'is' : 'are'} free: ${why}`,
      fix: 'ralphd fleet status',
    },
  ];
}

/** The dead letters: loops that were set aside until a person acts. */
function heldRows(loops: readonly QueuedLoop[]): readonly CheckRow[] {
  const held = loops.filter(({ status }) => status === 'held');
  return [...Map.groupBy(held, ({ why }) => why ?? 'for no reason that was recorded')].map(([why, same]) => ({
    name: 'set aside',
    level: 'problem',
    what: `${named(same.map(({ id }) => id))}: ${why}`,
    fix: `ralphd fleet requeue ${same[0]?.id}`,
  }));
}

function crashRows(loops: readonly QueuedLoop[]): readonly CheckRow[] {
  const shaky = loops.filter(({ status, crashes }) => status !== 'held' && crashes >= manyCrashes);
  return shaky.slice(0, 10).map(({ id, crashes, why }) => ({
    name: 'crashes',
    level: 'warning',
    what: `${id} failed to go on ${crashes} times since its last finished iteration${why === null ? '' : `: ${why}`}`,
    fix: `ralphd explain ${id}`,
  }));
}

function accountRows({ status: { accounts, loops }, health: { nowMs } }: FleetExam): readonly CheckRow[] {
  return accounts.flatMap(({ name, blockedUntil, blockedWhy, atOnce, most }): readonly CheckRow[] => {
    const waiting = loops.filter(({ account, status }) => account === name && status === 'queued').length;
    if (isAhead(blockedUntil, nowMs)) {
      const left = roughDuration(Date.parse(blockedUntil ?? '') - nowMs);
      const why = blockedWhy === null ? '' : ` (${blockedWhy})`;
      const what = `${name} is blocked by its provider for ${left}${why}; ${count(waiting, 'loop')} of it ${waiting === 1 ? 'waits' : 'wait'}`;
      return [{ name: 'accounts', level: 'warning', what, fix: `ralphd fleet account ${shellWord(name)} --unblock` }];
    }
    if (atOnce === null) return [];
    const what = `${name}: its provider was overloaded, so at most ${count(atOnce, 'loop')} of ${most ?? 'any number'} run at once, one more every five minutes`;
    return [{ name: 'accounts', level: 'warning', what, fix: `ralphd fleet account ${shellWord(name)} --unblock` }];
  });
}

function answerRows({
  health: { oldestCommandSeconds, lateSchedules },
  status: { workers },
}: FleetExam): readonly CheckRow[] {
  const rows: CheckRow[] = [];
  if (oldestCommandSeconds !== null && oldestCommandSeconds > longCommandSeconds) {
    const what = `one has waited ${roughDuration(oldestCommandSeconds * 1_000)} for its answer: no worker may take its loop`;
    rows.push({ name: 'commands', level: 'warning', what, fix: 'ralphd fleet status' });
  }
  if (lateSchedules.length > 0) {
    const why = workers.some(({ isLost }) => !isLost) ? 'the log of any worker says why' : 'no worker is alive';
    const what = `${named(lateSchedules)} ${lateSchedules.length === 1 ? 'was' : 'were'} due, and started nothing: ${why}`;
    rows.push({ name: 'schedules', level: 'problem', what, fix: `ralphd fleet unschedule ${lateSchedules[0]}` });
  }
  return rows;
}

function isAhead(instant: string | null, nowMs: number): boolean {
  return instant !== null && Date.parse(instant) > nowMs;
}

const mostNames = 3;

function named(ids: readonly string[]): string {
  const rest = ids.length - mostNames;
  return rest > 0 ? `${ids.slice(0, mostNames).join(', ')} and ${rest} more` : ids.join(', ');
}
