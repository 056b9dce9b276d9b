import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { BenchCase } from '../case.ts';
import { gapsIn, notingAgent } from '../contestant.ts';
import { median, newFolder } from '../race.ts';

const many = 64;
const iterations = 5;
const agentMs = 200;

/** Many loops in one process, through the library. */
export const cases: readonly BenchCase[] = [
  {
    name: `memory of ${many} loops in one process`,
    headline: `memory of ${many} loops in one process`,
    against: 'one loop',
    unit: 'MB',
    budget: { times: 2 },
    runs: 1,
    warmUps: 0,
    floor: async () => (await loops(1)).memoryMb,
    subject: async () => (await loops(many)).memoryMb,
  },
  {
    name: `the gap with ${many} loops in one process`,
    against: `${many} bare loops in one process`,
    unit: 'ms',
    budget: { times: 4 },
    note: 'With 64 loops the processor is what counts: it is the CPU of an iteration, 64 times, on one thread.',
    runs: 1,
    warmUps: 0,
    floor: async () => await bareLoops(many),
    subject: async () => (await loops(many)).gapMs,
  },
];

const measured = new Map<number, ReturnType<typeof run>>();

async function loops(number: number) {
  const result = measured.get(number) ?? run(number);
  measured.set(number, result);
  return await result;
}

async function run(number: number) {
  const folders = foldersFor(number);
  const program = path.join(import.meta.dirname, '../programs/many-loops.ts');
  const dist = path.resolve(import.meta.dirname, '../../dist');
  const printed = await runNode([program, dist, String(iterations), String(agentMs), ...folders]);
  return { memoryMb: Number(printed), gapMs: medianGap(folders) };
}

const bareProgram = `
  import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  import { fdatasyncSync, openSync, writeSync } from 'node:fs';
  const [iterations, ...loops] = process.argv.slice(1);
  await Promise.all(loops.map(async (loop) => {
    const { folder, agent: [file, ...args] } = JSON.parse(loop);
    const log = openSync(folder + '.journal', 'a');
    for (let iteration = 1; iteration <= Number(iterations); iteration += 1) {
      await once(spawn(file, args, { cwd: folder, stdio: 'ignore' }), 'exit');
      writeSync(log, JSON.stringify({ iteration }) + '\\n');
      fdatasyncSync(log);
    }
  }));`;

async function bareLoops(number: number): Promise<number> {
  const folders = foldersFor(number);
  const loops = folders.map((folder) => JSON.stringify({ folder, agent: notingAgent(`${folder}.agents`, agentMs) }));
  await runNode(['--input-type=module', '-e', bareProgram, String(iterations), ...loops]);
  return medianGap(folders);
}

function foldersFor(number: number): readonly string[] {
  const place = newFolder();
  return Array.from({ length: number }, (_, index) => {
    const folder = path.join(place, `project-${index}`);
    mkdirSync(folder);
    return folder;
  });
}

async function runNode(args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: newFolder() };
  const child = spawn(process.execPath, [...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return printed;
}

function medianGap(folders: readonly string[]): number {
  return median(
    folders.flatMap((folder) => gapsIn(readFileSync(`${folder}.agents`, 'utf8')).map(({ from, to }) => to - from)),
  );
}
