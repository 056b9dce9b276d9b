import type { FleetStatusReport } from '../../app/index.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';

type Worker = FleetStatusReport['workers'][number];
type FleetLoop = FleetStatusReport['loops'][number];
type Account = FleetStatusReport['accounts'][number];

/** A fleet as lines: its workers, its loops that have not ended, and its accounts. */
export function fleetLines(
  { workers, loops, accounts, schedules, ended }: FleetStatusReport,
  { nowMs, paint }: { readonly nowMs: number; readonly paint: Paint },
): readonly string[] {
  const queued = loops.filter(({ status }) => status === 'queued').length;
  const driven = loops.filter(({ status }) => status === 'driven').length;
  return [
    paint.bold(`${count(workers.length, 'worker')}, ${driven} driven, ${queued} queued, ${ended} ended`),
    ...workers.map((worker) => workerLine(worker, paint)),
    ...loops.map((loop) => loopLine(loop, nowMs)),
    ...accounts.map((account) => accountLine(account, nowMs)),
    ...schedules.map(
      ({ id, every, zone, nextMs }) =>
        `schedule ${id}  ${oneLine(every, 80)} (${zone}), next ${new Date(nextMs).toISOString()}`,
    ),
  ];
}

function workerLine(worker: Worker, paint: Paint): string {
  const { id, host, pid, loops, capacity, isLost, draining, ticksSilent } = worker;
  const state = isLost ? paint.bad('lost') : draining ? 'draining' : ticksSilent > 6 ? paint.warn('silent') : 'alive';
  return `worker ${id.slice(0, 8)}  ${state}  ${loops} of ${capacity}  process ${pid} on ${oneLine(host, 80)}`;
}

function loopLine({ id, status, why, account, wakeAt, worker, priority, commands }: FleetLoop, nowMs: number): string {
  const isDue = wakeAt === null || Date.parse(wakeAt) <= nowMs;
  const parts = [
    status === 'queued' && !isDue ? `waiting until ${new Date(wakeAt).toISOString()}` : status,
    ...(worker === null ? [] : [`by worker ${worker.slice(0, 8)}`]),
    ...(priority === 0 ? [] : [`priority ${priority}`]),
    ...(account === null ? [] : [`account ${oneLine(account, 60)}`]),
    ...(commands === 0 ? [] : [`${count(commands, 'command')} unanswered`]),
    ...(why === null ? [] : [oneLine(why, 300)]),
  ];
  return `loop ${id}  ${parts.join(', ')}`;
}

function accountLine({ name, used, most, reserve, blockedUntil, blockedWhy }: Account, nowMs: number): string {
  const isBlocked = blockedUntil !== null && Date.parse(blockedUntil) > nowMs;
  const blocked = isBlocked
    ? `, blocked until ${blockedUntil}${blockedWhy === null ? '' : ` (${oneLine(blockedWhy, 200)})`}`
    : '';
  const reserved = reserve === 0 ? '' : `, ${reserve} kept from scheduled loops`;
  return `account ${oneLine(name, 60)}  ${used} of ${most ?? 'any number'}${reserved}${blocked}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
