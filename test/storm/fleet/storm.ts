import { type Commander, listenToCommands } from './commander.ts';
import { type Chance, chanceFrom, dealFaults, type Fault, type Range } from './faults.ts';
import { judge, type Verdict, witnesses } from './oracle.ts';
import { createFleetWorld, type FleetWorker, type FleetWorld } from './world.ts';

/** How hard, and from which seed. */
export interface FleetStorm {
  /** An empty folder. */
  readonly folder: string;
  readonly faults: number;
  readonly seed: number;
  readonly workers?: number;
  readonly loops?: number;
  /** How many of the workers may be hit at the same time. */
  readonly atOnce?: number;
  /** A change to what is under test, which the oracle has to notice. */
  readonly sabotage?: Sabotage;
  readonly onFault?: (name: string) => void;
}

/** A change to what is under test. */
export interface Sabotage {
  /** Statements for the database. */
  readonly statements?: readonly string[];
  /** For the workers. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What a storm played, and what came of it. */
export interface StormReport extends Verdict {
  readonly played: Readonly<Record<string, number>>;
  /** How often a loop was set aside because its workers died too often, and queued again. */
  readonly requeued: number;
  readonly seconds: number;
}

/** How long a lane rests between two faults. */
const rest: Range = [300, 1_200];

/** Lets faults happen to workers that drive loops, and judges what is left. */
export async function stormFleet(options: FleetStorm): Promise<StormReport> {
  const { folder, seed, faults, sabotage, loops = 5, workers = 6, atOnce = workers - 1, onFault = () => {} } = options;
  const since = performance.now();
  await using world = await createFleetWorld(folder, { workers, capacity: loops, env: sabotage?.env ?? {} });
  for (const statement of [witnesses, ...(sabotage?.statements ?? [])]) await world.query(statement);
  for (let number = 1; number <= loops; number += 1) await world.submit(number);
  for (const worker of world.workers) worker.start();
  await until('every loop works', () => new Set(world.ticks().map(({ loop }) => loop)).size === loops);

  await using commander = listenToCommands(world);
  const chance = chanceFrom(seed * 7_919);
  const played: Record<string, number> = {};
  const hit = new Set<FleetWorker>();
  const next = () =>
    pickWorker(
      world.workers.filter((worker) => !hit.has(worker)),
      commander,
      chance,
    );
  const play = async (lane: Lane) => {
    for (const fault of lane.faults) {
      await pause(chance.ms(lane.rest));
      played[fault.name] = (played[fault.name] ?? 0) + 1;
      const worker = next();
      if (fault.hits === 'worker') hit.add(worker);
      onFault(fault.hits === 'worker' ? `${worker.name}: ${fault.name}` : fault.name);
      const target = { worker, chance, frozen: [] };
      await fault.begin(world, target);
      await pause(chance.ms(fault.lasts));
      await fault.end(world, target);
      if (fault.hits === 'worker') hit.delete(worker);
    }
  };
  await Promise.all(lanesOf(dealFaults(faults, chance), atOnce).map(play));
  await settled(world);
  const commands = await commander.finish();
  const verdict = await judge(world, commands);
  return { ...verdict, played, requeued: commander.requeued, seconds: Math.round((performance.now() - since) / 1_000) };
}

/** One of those that nothing is happening to; rather one that has loops to lose. */
function pickWorker(free: readonly FleetWorker[], commander: Commander, chance: Chance): FleetWorker {
  const lots = free.flatMap((worker) => Array.from({ length: 1 + 4 * commander.loopsOf(worker) }, () => worker));
  return lots[chance.below(lots.length)] as FleetWorker;
}

/** What happens one after the other, and how long it is quiet in between. */
interface Lane {
  readonly faults: Fault[];
  ms: number;
  rest: Range;
}

/** All lanes go on at the same time, each for about as long; keepers and the database have lanes of their own. */
function lanesOf(faults: readonly Fault[], count: number): readonly Lane[] {
  const lane = (): Lane => ({ faults: [], ms: 0, rest });
  const lanes = Array.from({ length: count }, lane);
  const others = { keeper: lane(), database: lane() };
  for (const fault of faults) {
    const shortest = lanes.toSorted((one, other) => one.ms - other.ms)[0] as Lane;
    const own = fault.hits === 'worker' ? shortest : others[fault.hits];
    own.faults.push(fault);
    own.ms += middleOf(fault.lasts) + (fault.hits === 'worker' ? middleOf(rest) : 0);
  }
  const longest = Math.max(...lanes.map(({ ms }) => ms));
  for (const other of Object.values(others)) {
    const quiet = Math.max(middleOf(rest), (longest - other.ms) / other.faults.length);
    other.rest = [quiet / 2, (quiet * 3) / 2];
  }
  return [...lanes, ...Object.values(others)];
}

function middleOf([from, to]: Range): number {
  return (from + to) / 2;
}

/** Waits until every loop has an owner again and gets on. */
async function settled(world: FleetWorld): Promise<void> {
  const seqs = async () => await world.query<{ id: string; seq: string }>('select id, seq from ralphd.loops');
  const before = new Map((await seqs()).map(({ id, seq }) => [id, Number(seq)]));
  await until('every loop gets on again', async () =>
    (await seqs()).every(({ id, seq }) => Number(seq) > (before.get(id) ?? 0)),
  );
}

/** Waits for a condition of the storm. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It never came to pass that ${what}.`);
    await pause(200);
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
