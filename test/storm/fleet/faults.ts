import type { FleetWorker, FleetWorld } from './world.ts';

/** Random choices that a seed repeats. */
export interface Chance {
  below(limit: number): number;
  /** From a range, in milliseconds. */
  ms(range: Range): number;
}

/** From, to, in milliseconds. */
export type Range = readonly [number, number];

/** Choices from a seed. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  return { below: (limit) => Math.floor(next() * limit), ms: ([from, to]) => from + next() * (to - from) };
}

/** A kind of trouble. */
export interface Fault {
  readonly name: string;
  readonly weight: number;
  /** What it hits: one worker, a keeper somewhere, or the database. */
  readonly hits: 'worker' | 'keeper' | 'database';
  /** How long it lasts. */
  readonly lasts: Range;
  begin(world: FleetWorld, target: Target): Promise<void>;
  end(world: FleetWorld, target: Target): Promise<void>;
}

/** What a fault was dealt. */
export interface Target {
  readonly worker: FleetWorker;
  readonly chance: Chance;
  /** Processes that it has stopped. */
  readonly frozen: number[];
}

const kill = {
  hits: 'worker',
  begin: async (_world: FleetWorld, { worker }: Target) => worker.signal('SIGKILL'),
  end: async (_world: FleetWorld, { worker }: Target) => worker.start(),
} as const;

const freeze = {
  hits: 'worker',
  begin: async (_world: FleetWorld, { worker }: Target) => worker.signal('SIGSTOP'),
  end: async (_world: FleetWorld, { worker }: Target) => worker.signal('SIGCONT'),
} as const;

const halt = (signal: 'SIGKILL' | 'SIGQUIT') =>
  ({
    hits: 'database',
    begin: async (world: FleetWorld) => await world.stopDatabase(signal),
    end: async (world: FleetWorld) => await world.startDatabase(),
  }) as const;

const short: Range = [200, 1_500];
/** Long enough for others to take over, and for the worker to come back among its stopped agents. */
const long: Range = [9_500, 11_500];

/** Everything that may happen to a fleet. */
const faults: readonly Fault[] = [
  { name: 'worker killed, started again', weight: 4, lasts: short, ...kill },
  { name: 'worker killed, gone for long', weight: 2, lasts: long, ...kill },
  { name: 'worker frozen for less than its permit', weight: 4, lasts: [300, 4_000], ...freeze },
  { name: 'worker frozen for about as long as its permit', weight: 1, lasts: [5_500, 7_500], ...freeze },
  { name: 'worker frozen for long', weight: 2, lasts: long, ...freeze },
  {
    name: 'worker and its keepers frozen',
    weight: 1,
    hits: 'worker',
    lasts: [300, 3_000],
    async begin(world, { worker, frozen }) {
      worker.signal('SIGSTOP');
      frozen.push(...world.keepersOf(worker));
      for (const pid of frozen) send(pid, 'SIGSTOP');
    },
    async end(_world, { worker, frozen }) {
      for (const pid of frozen) send(pid, 'SIGCONT');
      worker.signal('SIGCONT');
    },
  },
  {
    name: 'keeper killed',
    weight: 2,
    hits: 'keeper',
    lasts: [100, 500],
    async begin(world, { chance }) {
      const keepers = world.workers.flatMap((worker) => world.keepersOf(worker));
      const pid = keepers[chance.below(keepers.length)];
      if (pid !== undefined) send(pid, 'SIGKILL');
    },
    async end() {},
  },
  { name: 'database killed', weight: 1, lasts: [0, 3_000], ...halt('SIGKILL') },
  { name: 'database stopped at once', weight: 1, lasts: [0, 3_000], ...halt('SIGQUIT') },
  {
    name: 'all connections cut',
    weight: 2,
    hits: 'database',
    lasts: [100, 1_000],
    async begin(world) {
      await world.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
    },
    async end() {},
  },
];

/** So many faults, each kind as often as its weight says, in an order of the seed. */
export function dealFaults(count: number, chance: Chance): readonly Fault[] {
  const all = faults.reduce((sum, { weight }) => sum + weight, 0);
  const turns = faults.flatMap((fault, kind) =>
    Array.from({ length: fault.weight }, (_, turn) => ({
      fault,
      at: (turn + (kind + 1) / (faults.length + 1)) / fault.weight,
    })),
  );
  const round = turns.toSorted((one, other) => one.at - other.at).map(({ fault }) => fault);
  const dealt = Array.from({ length: count }, (_, number) => round[number % all] as Fault);
  for (let last = dealt.length - 1; last > 0; last -= 1) {
    const place = chance.below(last + 1);
    [dealt[last], dealt[place]] = [dealt[place] as Fault, dealt[last] as Fault];
  }
  return dealt;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
