import type { FleetStatusReport } from '../../app/index.ts';
import { byText } from '../../base/index.ts';

type FleetLoop = FleetStatusReport['loops'][number];
type Account = FleetStatusReport['accounts'][number];

/** The open loops of a fleet by what they do. */
export interface FleetGroups {
  readonly held: readonly FleetLoop[];
  /** Waiting for a worker that does not exist. */
  readonly unserved: readonly FleetLoop[];
  readonly driven: readonly FleetLoop[];
  /** In the order in which workers take them. */
  readonly next: readonly FleetLoop[];
  readonly waiting: readonly FleetLoop[];
  readonly paused: readonly FleetLoop[];
}

/** Sorts the open loops of a fleet by what they do. */
export function groupsOf({ loops, accounts }: FleetStatusReport, nowMs: number): FleetGroups {
  const blocked = new Set(accounts.filter((account) => blockedMs(account, nowMs) > 0).map(({ name }) => name));
  const kindOf = ({ status, worker, lacks, wakeAt, account }: FleetLoop): keyof FleetGroups => {
    if (worker !== null || status === 'driven') return 'driven';
    if (status === 'held' || status === 'paused') return status;
    if (lacks !== null) return 'unserved';
    const isLater = wakeAt !== null && Date.parse(wakeAt) > nowMs;
    return isLater || (account !== null && blocked.has(account)) ? 'waiting' : 'next';
  };
  const kinds = Map.groupBy(loops, kindOf);
  const of = (kind: keyof FleetGroups) => kinds.get(kind) ?? [];
  return {
    held: of('held'),
    unserved: of('unserved'),
    driven: of('driven').toSorted((one, other) => byText(one.worker ?? '', other.worker ?? '')),
    next: of('next').toSorted((one, other) => rankOf(other, nowMs) - rankOf(one, nowMs)),
    waiting: of('waiting').toSorted((one, other) => byText(one.wakeAt ?? '', other.wakeAt ?? '')),
    paused: of('paused'),
  };
}

const minutesPerPriority = 10;

/** What the database sorts by: whoever waits rises. */
function rankOf(loop: FleetLoop, nowMs: number): number {
  return loop.priority + (nowMs - dueSince(loop)) / (minutesPerPriority * 60_000);
}

/** Since when a loop could be driven. */
export function dueSince({ queuedAt, wakeAt }: FleetLoop): number {
  return Math.max(Date.parse(queuedAt), wakeAt === null ? 0 : Date.parse(wakeAt));
}

/** For how long an account is still blocked by its provider. */
export function blockedMs({ blockedUntil }: Account, nowMs: number): number {
  return blockedUntil === null ? 0 : Math.max(0, Date.parse(blockedUntil) - nowMs);
}
