import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchCase } from '../case.ts';
import { lengthenLoop } from '../programs/lengthen-loop.ts';
import { launcher } from '../time-node.ts';

const rounds = 10;
/** Long enough that everything written during an agent's run is written before it ends. */
const agentMs = 400;
const agent = ['sleep', String(agentMs / 1_000)] as const;
const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-gap-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** The time between the end of one agent run and the start of the next. */
export const cases: readonly BenchCase[] = [
  {
    name: 'the gap between two agents',
    against: 'a bare loop: spawn + append + fdatasync',
    unit: 'ms',
    budget: { times: 2 },
    runs: 4,
    floor: () => bareGap(plain()),
    subject: () => gap(plain()),
  },
  {
    name: 'the gap in a git repository',
    against: 'the bare loop with a git status in each round',
    unit: 'ms',
    budget: { times: 2 },
    runs: 4,
    floor: () => bareGap(repository(), ['git', 'status', '--porcelain']),
    subject: () => gap(repository()),
  },
  {
    name: 'the gap behind 10,000 iterations',
    against: 'the gap behind 100',
    unit: 'ms',
    budget: { times: 1.2 },
    runs: 4,
    floor: () => gap(young()),
    subject: () => gap(old()),
  },
];

const plain = lazily(() => project('plain'));
const repository = lazily(() => {
  const folder = project('repository');
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: folder, env, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'x');
  return folder;
});
const young = lazily(() => lengthened('young', 100));
const old = lazily(() => lengthened('old', 10_000));

const env = { PATH: process.env['PATH'], HOME: path.join(scratch, 'home') };

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function project(name: string): string {
  const folder = mkdtempSync(path.join(scratch, `${name}-`));
  const rules = '{ maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 }';
  const settings = [
    'agent: command',
    `agentCommand: ${JSON.stringify(agent)}`,
    'trustPromise: true',
    'baseline: false',
    'onLimit: pause',
  ];
  writeFileSync(
    path.join(folder, 'ralphd.yml'),
    `${settings.join('\n')}\niterationDelay: 0s\nstopConditions: ${rules}\n`,
  );
  return folder;
}

/** A project whose only loop is paused after a number of iterations. */
function lengthened(name: string, iterations: number): string {
  const folder = project(name);
  for (const words of [
    ['run', 'x', '-n', '1'],
    ['resume', '-n', '2'],
  ]) {
    // It exits with 2 at its limit.
    spawnSync(process.execPath, [launcher, ...words], { cwd: folder, env, stdio: 'ignore' });
  }
  lengthenLoop(path.join(folder, '.ralph'), iterations, env);
  reached.set(folder, iterations);
  return folder;
}

/** How long an iteration of a real loop takes beyond its agent. */
async function gap(folder: string): Promise<number> {
  const [first = 0, ...others] = await startsOf(folder);
  return ((others.at(-1) ?? 0) - first) / others.length - agentMs;
}

const reached = new Map<string, number>();

async function startsOf(folder: string): Promise<readonly number[]> {
  const before = reached.get(folder);
  const words = before === undefined ? ['run', 'x', '-n', String(rounds)] : ['resume', '-n', String(before + rounds)];
  const child = spawn(process.execPath, [launcher, ...words, '--json'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const starts: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { type, at, iteration: number } = JSON.parse(line) as { type: string; at: string; iteration: number };
    if (type !== 'iteration.started') continue;
    starts.push(Date.parse(at));
    reached.set(folder, number);
  }
  return starts;
}

/** How long a round takes, beyond its agent, in the simplest loop that loses nothing. */
async function bareGap(cwd: string, ...more: readonly (readonly [string, ...string[]])[]): Promise<number> {
  const log = openSync(path.join(scratch, 'log'), 'a');
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    for (const [file, ...args] of [agent, ...more]) {
      await once(spawn(file, args, { cwd, env, stdio: 'ignore' }), 'exit');
    }
    writeSync(log, `{"round":${round}}\n`);
    fdatasyncSync(log);
  }
  const took = performance.now() - startedAt;
  closeSync(log);
  return took / rounds - agentMs;
}
