import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { recordNoticed } from './planted.ts';
import { simulateLoop } from './simulate.ts';
import { addTallies, type Tally, type TallyOptions } from './tally.ts';

const usage = `Simulates whole loops from one seed and checks that every promise holds.

  node test/simulation/run.ts [--loops 100000] [--seed N]    many loops; without a seed a random one is taken
  node test/simulation/run.ts --seed N --trace               the one loop of a printed seed, fact by fact
  node test/simulation/run.ts --planted                      looks for every bug planted in the rules, and records which
                                                             loop notices it: the tests look there first`;

const { values } = parseArgs({
  options: {
    loops: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await main();

async function main(): Promise<number> {
  const loops = wholeNumber(values.loops);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : wholeNumber(values.seed);
  if (loops === undefined || seed === undefined) {
    console.error(usage);
    return 64;
  }
  if (values.planted) return await searchForPlanted();
  return await (values.trace ? trace(seed) : many(seed, loops));
}

async function searchForPlanted(): Promise<number> {
  const unnoticed = await recordNoticed();
  for (const bug of unnoticed) console.log(`not noticed: ${bug}`);
  return unnoticed.length === 0 ? 0 : 1;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/u.test(text) ? Number(text) : undefined;
}

async function trace(seed: number): Promise<number> {
  const { violation } = await simulateLoop({ seed, note: (line) => console.log(line) });
  console.log(violation === undefined ? 'everything held' : `broken: ${violation.rule}\n  ${violation.detail}`);
  return violation === undefined ? 0 : 1;
}

async function many(masterSeed: number, loops: number): Promise<number> {
  console.log(`seed ${masterSeed}`);
  const startedMs = performance.now();
  const tally = await simulateOnAllCores(loops, masterSeed);
  report(tally, (performance.now() - startedMs) / 1_000);
  return tally.findings.length === 0 ? 0 : 1;
}

/** With n cores, each core simulates every nth loop. */
async function simulateOnAllCores(loops: number, masterSeed: number): Promise<Tally> {
  const cores = Math.min(availableParallelism(), Math.ceil(loops / 500));
  const shares = Array.from({ length: cores }, async (_, first) => {
    const workerData = { loops, masterSeed, share: { first, of: cores } } satisfies TallyOptions;
    const worker = new Worker(new URL('tally-worker.ts', import.meta.url), { workerData });
    const [tally] = (await once(worker, 'message')) as [Tally];
    return tally;
  });
  return addTallies(await Promise.all(shares));
}

function report(tally: Tally, seconds: number): void {
  console.log(`${tally.loops} loops in ${seconds.toFixed(1)} s: ${Math.round(tally.loops / seconds)} loops/s`);
  console.log(`${tally.facts} facts, ${tally.crashes} crashes`);
  list('ends and pauses', tally.ends);
  list('commands', tally.commands);
  list('waits', tally.waits);
  list('sessions', tally.sessions);
  list('hooks', tally.hooks);
  list('gates', tally.gates);
  list('looks at conditions', tally.looks);
  list('conditions', tally.conditions);
  for (const { seed, rule, detail } of tally.findings.slice(0, 20)) {
    console.log(`\nbroken: ${rule}\n  ${detail}\n  replay: npm run simulate -- --seed ${seed} --trace`);
  }
  console.log(`\n${tally.findings.length} violations`);
}

function list(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`);
  for (const [name, times] of [...counts].toSorted(([left], [right]) => left.localeCompare(right))) {
    console.log(`  ${name.padEnd(28)} ${times}`);
  }
}
