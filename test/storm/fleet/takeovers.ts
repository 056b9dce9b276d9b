import type { FleetWorld, WorldEvent } from './world.ts';

/** A change of a loop's owner, as a trigger saw it. */
export interface EpochRow {
  readonly loop: string;
  readonly epoch: number;
  /** The folder of the worker that it was given to; null if it was taken from a lost one. */
  readonly machine: string | null;
  /** The fleet's clock at that time, and when its owner was heard last. */
  readonly tick: number;
  readonly heard: number | null;
  readonly heardAt: number | null;
  readonly at: number;
}

/** How a loop came from a lost worker to another one. */
export interface Takeover {
  readonly loop: string;
  readonly epoch: number;
  /** Of the fleet's clock, since the lost owner was heard last. */
  readonly ticks: number;
  /** The same in seconds. */
  readonly seconds: number;
  /** For how long of that the database was down. */
  readonly down: number;
  /** Whether somebody else could have acted all that time. */
  readonly isJudged: boolean;
}

/** A worker needs so long to start. */
const startSeconds = 2;

/** Every loop that a lost worker had and another one got. */
export function takeoversIn(epochs: readonly EpochRow[], world: FleetWorld): readonly Takeover[] {
  const nameOf = new Map(world.workers.map((worker) => [worker.machine(), worker.name]));
  return epochs.flatMap((row, index) => {
    const [before, next] = [epochs[index - 1], epochs[index + 1]];
    const isTaken = row.machine === null && before?.loop === row.loop && next?.loop === row.loop;
    const lost = isTaken ? nameOf.get(before?.machine ?? undefined) : undefined;
    if (next === undefined || lost === undefined) return [];
    const window = { since: row.heardAt ?? row.at, until: next.at };
    const others = world.workers.map(({ name }) => name).filter((name) => name !== lost);
    return [
      {
        loop: row.loop,
        epoch: next.epoch,
        ticks: next.tick - (row.heard ?? next.tick),
        seconds: window.until - window.since,
        down: downtime(world.events, window),
        isJudged: !isLeftAlone(world.events, others, window),
      },
    ];
  });
}

interface Window {
  readonly since: number;
  readonly until: number;
}

/** Whether there was an instant at which none of these was up. */
function isLeftAlone(events: readonly WorldEvent[], names: readonly string[], { since, until }: Window): boolean {
  const changes = events.filter(({ who, at }) => names.includes(who) && at < until);
  const instants = [since, ...changes.filter(({ at, isUp }) => at > since && !isUp).map(({ at }) => at)];
  return instants.some((instant) => !names.some((name) => isUpAt(changes, name, instant)));
}

function isUpAt(events: readonly WorldEvent[], name: string, instant: number): boolean {
  const last = events.findLast(({ who, at }) => who === name && at <= instant);
  return last !== undefined && last.isUp && last.at + startSeconds <= instant;
}

function downtime(events: readonly WorldEvent[], { since, until }: Window): number {
  let [seconds, from] = [0, Infinity];
  for (const { who, isUp, at } of [...events, { who: 'database', isUp: true, at: Infinity }]) {
    if (who !== 'database') continue;
    if (!isUp) from = at;
    else {
      seconds += Math.max(0, Math.min(at, until) - Math.max(from, since));
      from = Infinity;
    }
  }
  return seconds;
}
