import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchCase } from '../case.ts';
import { launcher } from '../time-node.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-memory-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const early = 100;
/** Enough iterations to show any growth; 10,000 would take a quarter of an hour. */
const late = 1_000;

/** The memory of a runner over many iterations. */
export const cases: readonly BenchCase[] = [
  {
    name: `memory of a runner after ${late.toLocaleString('en')} iterations`,
    against: `the same runner after ${early}`,
    unit: 'MB',
    budget: { times: 1.15 },
    runs: 1,
    warmUps: 0,
    floor: async () => (await loop()).early,
    subject: async () => (await loop()).late,
  },
  {
    name: `memory of a runner after ${late.toLocaleString('en')} iterations, in all`,
    headline: `memory of ralphd after ${late.toLocaleString('en')} iterations`,
    against: 'a bare Node that has been idle',
    unit: 'MB',
    budget: { times: 1.6 },
    note: 'Nine tenths of the excess are there before the first agent: the program with its schemas, and the code of Node that it uses.',
    runs: 1,
    warmUps: 0,
    floor: bareNode,
    subject: async () => (await loop()).late,
  },
];

let measured: Promise<{ readonly early: number; readonly late: number }> | undefined;

/** One loop through the real command line, with agents that end at once. */
async function loop(): Promise<{ readonly early: number; readonly late: number }> {
  return await (measured ??= run());
}

async function run() {
  const folder = mkdtempSync(path.join(scratch, 'project-'));
  const rules = '{ maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 }';
  const settings = ['agent: command', 'agentCommand: ["true"]', 'trustPromise: true', 'baseline: false'];
  writeFileSync(
    path.join(folder, 'ralphd.yml'),
    `${settings.join('\n')}\niterationDelay: 0s\nstopConditions: ${rules}\n`,
  );
  const child = spawn(process.execPath, [launcher, 'run', 'x', '-n', String(late + 1), '--trust-project', '--json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: os.tmpdir() },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const seen = new Map<number, number>();
  for await (const line of createInterface({ input: child.stdout })) {
    const { type, iteration } = JSON.parse(line) as { type: string; iteration: number };
    if (type === 'agent.started') seen.set(iteration, residentMb(child.pid));
  }
  rmSync(folder, { recursive: true });
  // The median of some twenty: one moment may fall before or after a collection.
  const around = (centre: number) => {
    const near = [...seen].filter(([iteration]) => Math.abs(iteration - centre) <= 10).map(([, mb]) => mb);
    return near.toSorted((one, other) => one - other)[Math.floor(near.length / 2)] ?? Number.NaN;
  };
  return { early: around(early), late: around(late) };
}

async function bareNode(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const mb = residentMb(child.pid);
  child.kill();
  await once(child, 'exit');
  return mb;
}

function residentMb(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}
