import path from 'node:path';
import { chanceFrom, chooseFault } from './faults.ts';
import { judge, type Verdict, witnesses } from './oracle.ts';
import { createFleetWorld, type FleetWorld, ticksOf } from './world.ts';

/** How hard, and from which seed. */
export interface FleetStorm {
  /** An empty folder. */
  readonly folder: string;
  readonly faults: number;
  readonly seed: number;
  /** How many happen at once. */
  readonly atOnce?: number;
  /** A change to what is under test, which the oracle has to notice. */
  readonly sabotage?: (world: FleetWorld) => Promise<Disposable | undefined>;
  readonly onFault?: (name: string) => void;
}

/** What a storm played, and what came of it. */
export interface StormReport extends Verdict {
  readonly played: Readonly<Record<string, number>>;
}

const loops = 4;

/** Lets faults happen to workers that drive loops, and judges what is left. */
export async function stormFleet(options: FleetStorm): Promise<StormReport> {
  const { folder, seed, atOnce = 2, sabotage, onFault = () => {} } = options;
  await using world = await createFleetWorld(folder, { workers: 3, capacity: 3 });
  await world.query(witnesses);
  using _sabotage = await sabotage?.(world);
  for (let number = 1; number <= loops; number += 1) submit(world, number);
  for (const worker of world.workers) worker.start();
  await ticking(world);
  const played: Record<string, number> = {};
  let left = options.faults;
  let database: Promise<void> = Promise.resolve();
  const play = async (turn: number) => {
    const chance = chanceFrom(seed * 7_919 + turn);
    while (left > 0) {
      left -= 1;
      const fault = chooseFault(chance);
      played[fault.name] = (played[fault.name] ?? 0) + 1;
      onFault(fault.name);
      if (fault.isDatabase === true) await (database = database.then(async () => await fault.play(world, chance)));
      else await fault.play(world, chance);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, async (_, turn) => await play(turn)));
  for (const worker of world.workers) worker.start();
  await settled(world);
  return { ...(await judge(world, ticksOf(folder))), played };
}

function submit(world: FleetWorld, number: number): void {
  const repository = path.join(world.folder, 'shared.git');
  const bounds = ['-n', '100000', '--delay', '200ms', '--no-baseline'];
  world.ralphd([
    'submit',
    `Task ${number}`,
    '--agent-command',
    './agent.sh',
    '--verify',
    'false',
    ...bounds,
    '--repo',
    repository,
    '--ref',
    'main',
  ]);
}

/** Waits until every loop is at work. */
async function ticking({ folder }: FleetWorld): Promise<void> {
  await until('every loop works', async () => new Set(ticksOf(folder).map(({ loop }) => loop)).size === loops);
}

/** Waits until every loop has an owner again and gets on. */
async function settled(world: FleetWorld): Promise<void> {
  const seqs = async () =>
    new Map(
      (await world.query<{ id: string; seq: string }>('select id, seq from ralphd.loops')).map(({ id, seq }) => [
        id,
        Number(seq),
      ]),
    );
  const before = await seqs();
  await until('every loop gets on again', async () => {
    const now = await seqs();
    return [...before].every(([id, seq]) => (now.get(id) ?? 0) > seq);
  });
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`It never came to pass that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
