import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { gapsIn, notingAgent } from '../contestant.ts';
import { contestant } from '../contestants/ralphd.ts';
import { lengthenLoop } from '../programs/lengthen-loop.ts';
import { median } from '../race.ts';
import { launcher, timeNode } from '../time-node.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-long-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const rounds = 30;
const agentMs = 40;
/** Of about four facts each. */
const manyIterations = 25_000;

/** What a loop with a long history costs. */
export const cases: readonly BenchCase[] = [
  {
    name: 'the gap behind 10,000 iterations',
    headline: 'the same after 10,000 iterations',
    against: 'the gap behind 100',
    unit: 'ms',
    budget: { times: 1.1 },
    runs: 5,
    warmUps: 1,
    floor: async () => (await resume(lengthened(100), rounds)).gapMs,
    subject: async () => (await resume(lengthened(10_000), rounds)).gapMs,
  },
  {
    name: 'resume with 100,000 facts, until the agent starts',
    headline: 'resuming a loop of 100,000 facts, until its agent starts',
    against: 'the start of Node and reading the snapshot',
    unit: 'ms',
    budget: { times: 3 },
    note: 'It takes as long with ten facts: a third is loading the program, the rest opening the loop durably (owner, lock, new segment, snapshot) and starting the keeper.',
    runs: 8,
    warmUps: 1,
    floor: async () => await timeNode(['-e', readSnapshot], lengthened(manyIterations)),
    subject: async () => (await resume(lengthened(manyIterations), 1)).startMs,
  },
];

const readSnapshot = `const fs = process.getBuiltinModule('node:fs');
  const [id] = fs.readdirSync('.ralph/loops');
  JSON.parse(fs.readFileSync('.ralph/loops/' + id + '/state.json', 'utf8'));`;

const env = { PATH: process.env['PATH'], HOME: path.join(scratch, 'home') };
const folders = new Map<number, string>();
const reached = new Map<string, number>();

/** A project whose only loop is paused after a number of iterations. */
function lengthened(iterations: number): string {
  const known = folders.get(iterations);
  if (known !== undefined) return known;
  const folder = path.join(scratch, `${iterations}`);
  mkdirSync(folder);
  contestant.prepare({ folder, agent: notingAgent(logOf(folder), agentMs), iterations: 0 });
  for (const words of ['run x -n 1 --trust-project', 'resume -n 2']) {
    // It exits with 2 at its limit.
    spawnSync(process.execPath, [launcher, ...words.split(' ')], { cwd: folder, env, stdio: 'ignore' });
  }
  lengthenLoop(path.join(folder, '.ralph'), iterations, env, iterations !== manyIterations);
  folders.set(iterations, folder);
  reached.set(folder, iterations);
  return folder;
}

/** Runs some more iterations: the median gap between them, and the time until the first agent began. */
async function resume(folder: string, more: number) {
  const limit = (reached.get(folder) ?? 0) + more;
  reached.set(folder, limit);
  rmSync(logOf(folder), { force: true });
  const startedAt = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, [launcher, 'resume', '-n', String(limit)], {
    cwd: folder,
    env,
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const log = readFileSync(logOf(folder), 'utf8');
  const [, began = 'NaN'] = /^began (\S+)/u.exec(log) ?? [];
  return { gapMs: median(gapsIn(log).map(({ from, to }) => to - from)), startMs: 1_000 * Number(began) - startedAt };
}

function logOf(folder: string): string {
  return `${folder}-agents`;
}
