import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { contestant } from '../contestants/ralphd.ts';
import { newFolder } from '../race.ts';

const [few, many] = [10, 60];

const notes = new Map([
  [
    'syncs of an iteration',
    'One is between two agents. The others are made while an agent works: one for the fact that it was started, two for the checkpoint of the iteration, and the rest shared by the agents of 200 ms.',
  ],
]);

/** What the system does for one iteration outside git, with an agent of 40 ms: counted by strace, which has to be installed. */
export const cases: readonly BenchCase[] = [
  counted('system calls of an iteration', 400, () => true),
  counted('syncs of an iteration', 2, (name) => name === 'fsync' || name === 'fdatasync'),
  counted('processes started in an iteration', 1, (name) => ['clone', 'clone3', 'fork', 'vfork'].includes(name)),
];

function counted(name: string, plus: number, matches: (call: string) => boolean): BenchCase {
  const note = notes.get(name);
  return {
    ...(note === undefined ? {} : { note }),
    name,
    against: 'nothing',
    unit: '',
    budget: { plus },
    runs: 1,
    warmUps: 0,
    floor: async () => 0,
    subject: async () => (sum(calls(many), matches) - sum(calls(few), matches)) / (many - few),
  };
}

const counts = new Map<number, ReadonlyMap<string, number>>();

function calls(iterations: number): ReadonlyMap<string, number> {
  const known = counts.get(iterations);
  if (known !== undefined) return known;
  const place = newFolder();
  const [folder, summary] = [path.join(place, 'project'), path.join(place, 'calls')];
  mkdirSync(folder);
  const command = contestant.prepare({ folder, agent: ['sleep', '0.04'], iterations });
  const env = { PATH: process.env['PATH'], HOME: path.join(place, 'home') };
  spawnSync('strace', ['-f', '-c', '-o', summary, ...command], { cwd: folder, env, stdio: 'ignore' });
  const rows = readFileSync(summary, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/ +/u));
  const found = new Map(
    rows.filter(([share]) => /^[\d.]+$/u.test(share ?? '')).map((row) => [row.at(-1) ?? '', Number(row[3])]),
  );
  found.delete('total');
  counts.set(iterations, found);
  return found;
}

function sum(found: ReadonlyMap<string, number>, matches: (call: string) => boolean): number {
  return [...found].filter(([name]) => matches(name)).reduce((total, [, count]) => total + count, 0);
}
