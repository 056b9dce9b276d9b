import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { contestant as bareLoop } from '../contestants/bare-loop.ts';
import { contestant as ralphd } from '../contestants/ralphd.ts';
import { type Course, median, newFolder, race } from '../race.ts';

/** Long enough that what is written beside an agent is written before it ends. */
const agentMs = 300;
const short: Course = { iterations: 100, agentMs: 40 };
const inGit: Course = { ...short, furnish: (folder, env) => makeRepository(folder, env, 20) };
const inLargeGit: Course = { iterations: 12, agentMs, furnish: (folder, env) => makeRepository(folder, env, 50_000) };

const gapNote =
  'A bare loop creates no file. ralphd makes two folders and four files for an attempt (0.2 ms each on ext4), looks for processes that were left, looks at the work tree, judges, and speaks with a keeper that outlives it; see the waterfall in docs/decisions/013.';

/** The time between the end of one agent and the start of the next, and the processor time of an iteration. */
export const cases: readonly BenchCase[] = [
  againstLoop('the gap between two agents', short, {
    times: 2,
    runs: 5,
    headline: 'time between two agents, everything on disk',
  }),
  againstLoop('the gap over 1,000 iterations', { iterations: 1_000, agentMs: 5 }, { times: 2, runs: 1 }),
  {
    name: 'the gap in a git repository',
    headline: 'the same in a git repository',
    against: 'the bare loop with a git status in each round',
    unit: 'ms',
    budget: { times: 2 },
    runs: 3,
    warmUps: 0,
    note: gapNote,
    floor: async () => (await race(bareLoop, inGit)).gapMs + gitStatusMs(20),
    subject: async () => (await race(ralphd, inGit)).gapMs,
  },
  {
    name: 'the gap in a repository of 50,000 files',
    against: 'one git status',
    unit: 'ms',
    budget: { times: 1.3 },
    runs: 2,
    warmUps: 0,
    note: 'Besides git status, ralphd looks itself at the files that git was told to skip and at those that differ, and takes the usual gap.',
    floor: async () => gitStatusMs(50_000),
    subject: async () => (await race(ralphd, inLargeGit)).gapMs,
  },
  {
    name: 'the gap beside 300 other processes',
    against: 'the gap without them',
    unit: 'ms',
    budget: { times: 1.2 },
    runs: 3,
    warmUps: 0,
    floor: async () => (await race(ralphd, short)).gapMs,
    subject: async () => await besideOthers(300, async () => (await race(ralphd, short)).gapMs),
  },
  {
    name: 'CPU of an iteration, with its agent',
    against: 'the bare loop',
    unit: 'ms',
    budget: { times: 4 },
    runs: 1,
    warmUps: 0,
    note: 'With agents that end at once, most of it is the files of the attempts, the checkpoints and the snapshots; profile it with node --cpu-prof.',
    floor: async () => (await race(bareLoop, { iterations: 1_000 })).cpuMs,
    subject: async () => (await race(ralphd, { iterations: 1_000 })).cpuMs,
  },
];

function againstLoop(
  name: string,
  course: Course,
  { times, ...rest }: { readonly times: number; readonly runs: number; readonly headline?: string },
): BenchCase {
  return {
    ...rest,
    name,
    against: 'a bare loop: spawn + append + fdatasync',
    unit: 'ms',
    budget: { times },
    note: gapNote,
    warmUps: 0,
    floor: async () => (await race(bareLoop, course)).gapMs,
    subject: async () => (await race(ralphd, course)).gapMs,
  };
}

function makeRepository(folder: string, env: NodeJS.ProcessEnv, files: number): void {
  for (let number = 0; number < files; number += 1) {
    const place = path.join(folder, `folder-${number % 500}`);
    if (number < 500) mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, `file-${number}.txt`), `${number}\n`);
  }
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: folder, env, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'x');
}

const repositories = new Map<number, string>();

/** How long one git status takes: the median of ten. */
function gitStatusMs(files: number): number {
  const folder = repositories.get(files) ?? newFolder();
  const env = { PATH: process.env['PATH'], HOME: folder };
  if (!repositories.has(files)) makeRepository(folder, env, files);
  repositories.set(files, folder);
  const times = Array.from({ length: 10 }, () => {
    const startedAt = performance.now();
    spawnSync('git', ['status', '--porcelain'], { cwd: folder, env, stdio: 'ignore' });
    return performance.now() - startedAt;
  });
  return median(times);
}

/** Runs something while this many processes wait for nothing. */
async function besideOthers(number: number, run: () => Promise<number>): Promise<number> {
  const others: ChildProcess[] = Array.from({ length: number }, () => spawn('sleep', ['600'], { stdio: 'ignore' }));
  try {
    return await run();
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
}
