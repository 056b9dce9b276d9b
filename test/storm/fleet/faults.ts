import { type FleetWorker, type FleetWorld, keepersOf } from './world.ts';

/** A kind of trouble, and how often it happens. */
export interface Fault {
  readonly name: string;
  readonly weight: number;
  readonly isDatabase?: boolean;
  play(world: FleetWorld, chance: Chance): Promise<void>;
}

/** Random choices that a seed repeats. */
export interface Chance {
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** From a range, in milliseconds. */
  ms(from: number, to: number): number;
}

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
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    ms: (from, to) => from + next() * (to - from),
  };
}

/** Everything that may happen to a fleet. */
const faults: readonly Fault[] = [
  {
    name: 'worker killed, started again',
    weight: 5,
    async play({ workers }, chance) {
      const worker = running(workers, chance);
      worker.signal('SIGKILL');
      await pause(chance.ms(200, 2_000));
      worker.start();
    },
  },
  {
    name: 'worker killed, gone for long',
    weight: 3,
    async play({ workers }, chance) {
      const worker = running(workers, chance);
      worker.signal('SIGKILL');
      await pause(chance.ms(9_000, 13_000));
      worker.start();
    },
  },
  {
    name: 'worker frozen',
    weight: 4,
    async play({ workers }, chance) {
      const worker = running(workers, chance);
      worker.signal('SIGSTOP');
      await pause(chance.pick([chance.ms(300, 4_000), chance.ms(9_000, 14_000)]));
      worker.signal('SIGCONT');
    },
  },
  {
    name: 'keeper killed',
    weight: 2,
    async play({ folder }, chance) {
      const keepers = keepersOf(folder);
      if (keepers.length > 0) send(chance.pick(keepers), 'SIGKILL');
      await pause(chance.ms(100, 1_000));
    },
  },
  {
    name: 'worker and keepers frozen',
    weight: 1,
    async play({ folder, workers }, chance) {
      const worker = running(workers, chance);
      const keepers = keepersOf(folder);
      worker.signal('SIGSTOP');
      for (const pid of keepers) send(pid, 'SIGSTOP');
      await pause(chance.ms(300, 3_000));
      for (const pid of keepers) send(pid, 'SIGCONT');
      worker.signal('SIGCONT');
    },
  },
  {
    name: 'database killed',
    weight: 1,
    isDatabase: true,
    async play({ server }, chance) {
      await server.stop('SIGKILL');
      await pause(chance.ms(0, 4_000));
      await server.start();
    },
  },
  {
    name: 'all connections cut',
    weight: 2,
    isDatabase: true,
    async play(world, chance) {
      await world.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      await pause(chance.ms(100, 1_000));
    },
  },
];

/** One of them, by weight. */
export function chooseFault(chance: Chance): Fault {
  let place = chance.below(faults.reduce((sum, { weight }) => sum + weight, 0));
  for (const fault of faults) {
    place -= fault.weight;
    if (place < 0) return fault;
  }
  throw new Error('no fault');
}

function running(workers: readonly FleetWorker[], chance: Chance): FleetWorker {
  for (const worker of workers) worker.start();
  return chance.pick(workers);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
