import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { launcher } from '../time-node.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-screen-'));
const children: ChildProcess[] = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

/** For how long a screen is watched, after Node has tidied up what its start left behind. */
const watchMs = 15_000;
const settleMs = 15_000;

/** What it costs to look at a loop in a terminal. */
export const cases: readonly BenchCase[] = [
  {
    name: 'first frame of ralphd watch',
    against: 'node -e 0 in a terminal',
    unit: 'ms',
    budget: { plus: 200 },
    runs: 15,
    floor: async () => await timeUntil(terminal(`${quoted(process.execPath)} -e 'console.log("up")'`), 'up'),
    subject: async () => await timeUntil(watchOf('quiet'), 'RUNNING'),
  },
  {
    name: 'CPU of a screen on a quiet agent, each second',
    against: 'a bare Node with a timer',
    unit: 'ms',
    budget: { plus: 10 },
    runs: 1,
    warmUps: 0,
    floor: async () => (await bareNode()).cpuMs,
    subject: async () => (await seen('quiet')).cpuMs,
  },
  {
    name: 'CPU of a screen on a busy agent, each second',
    against: 'a bare Node with a timer',
    unit: 'ms',
    budget: { plus: 50 },
    runs: 1,
    warmUps: 0,
    floor: async () => (await bareNode()).cpuMs,
    subject: async () => (await seen('busy')).cpuMs,
  },
  {
    name: 'memory of a screen on a busy agent',
    against: 'a bare Node with a timer',
    unit: 'MB',
    budget: { times: 1.5 },
    runs: 1,
    warmUps: 0,
    floor: async () => (await bareNode()).mb,
    subject: async () => (await seen('busy')).mb,
  },
  {
    name: 'heap of a screen after an hour of events',
    against: 'after six minutes of them',
    unit: 'MB',
    budget: { times: 1.05 },
    runs: 1,
    warmUps: 0,
    floor: async () => heaps()[0] ?? Number.NaN,
    subject: async () => heaps()[1] ?? Number.NaN,
  },
];

interface Use {
  /** CPU time for each second. */
  readonly cpuMs: number;
  readonly mb: number;
}

const measured = new Map<string, Promise<Use>>();

function seen(kind: Kind): Promise<Use> {
  return remembered(kind, async () => await useOf(watchOf(kind), 'RUNNING', watcherOf));
}

function bareNode(): Promise<Use> {
  const code = 'console.log("up"); setInterval(() => {}, 1000)';
  const start = () => spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  return remembered('bare', async () => await useOf(start(), 'up', ({ pid }) => pid ?? 0));
}

function remembered(name: string, measure: () => Promise<Use>): Promise<Use> {
  const found = measured.get(name) ?? measure();
  measured.set(name, found);
  return found;
}

async function useOf(child: ChildProcess, sign: string, find: (child: ChildProcess) => number): Promise<Use> {
  await timeUntil(child, sign, false);
  const pid = find(child);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const before = cpuOf(pid);
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  const use = { cpuMs: ((cpuOf(pid) - before) * 1_000) / watchMs, mb: residentMb(pid) };
  child.kill('SIGKILL');
  return use;
}

/** The milliseconds until a program has printed a text. */
async function timeUntil(child: ChildProcess, sign: string, ends = true): Promise<number> {
  const startedAt = performance.now();
  children.push(child);
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes(sign)) break;
  }
  const ms = performance.now() - startedAt;
  child.stdout?.resume();
  if (ends) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  return ms;
}

function terminal(line: string, cwd = scratch): ChildProcess {
  const env = { PATH: process.env['PATH'], HOME: scratch, TERM: 'xterm-256color', SHELL: '/bin/sh', LANG: 'C.UTF-8' };
  return spawn('script', ['-qefc', `stty cols 120 rows 36; exec ${line}`, '/dev/null'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

type Kind = 'quiet' | 'busy';

function watchOf(kind: Kind): ChildProcess {
  return terminal(`${quoted(process.execPath, launcher)} watch ralph-${kind}-a1b2c3d4`, loopOf(kind));
}

const folders = new Map<Kind, string>();

/** A loop whose agent is quiet, or uses fifty tools a second. */
function loopOf(kind: Kind): string {
  const known = folders.get(kind);
  if (known !== undefined) return known;
  const folder = mkdtempSync(path.join(scratch, `${kind}-`));
  folders.set(kind, folder);
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } };
  const event = JSON.stringify({ type: 'assistant', message: { id: 'm', content: [call] } });
  const work =
    kind === 'quiet'
      ? 'sleep 600'
      : `n=0; while [ $n -lt 30000 ]; do n=$((n+1)); echo '${event}' | sed "s/npm test/npm test $n/;s/\\"t\\"/\\"t$n\\"/"; sleep 0.02; done`;
  writeFileSync(path.join(folder, 'agent.sh'), `#!/bin/sh\ncat > /dev/null\n${work}\n`);
  chmodSync(path.join(folder, 'agent.sh'), 0o755);
  writeFileSync(path.join(folder, 'ralphd.yml'), 'agents: { claude: { command: ./agent.sh } }\n');
  const words = [
    'run',
    'x',
    '--agent',
    'claude',
    '--verify',
    'false',
    '--allow-broken-baseline',
    '--trust-project',
    '--json',
    '--loop-id',
    `ralph-${kind}-a1b2c3d4`,
  ];
  const owner = spawn(process.execPath, [launcher, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: 'ignore',
  });
  children.push(owner);
  execFileSync(
    'sh',
    [
      '-c',
      'n=0; until grep -qs agent.started .ralph/loops/*/journal/*; do sleep 0.1; n=$((n+1)); [ $n -lt 300 ]; done',
    ],
    { cwd: folder },
  );
  return folder;
}

/** The process that draws: the last descendant of the terminal's program. */
function watcherOf({ pid }: ChildProcess): number {
  const parents = readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/u.test(name) ? statOf(Number(name)) : undefined;
    return stat === undefined ? [] : [[Number(name), Number(stat[1])] as const];
  });
  let found = pid ?? 0;
  for (;;) {
    const child = parents.find(([, parent]) => parent === found)?.[0];
    if (child === undefined) return found;
    found = child;
  }
}

/** CPU milliseconds that the threads of a process have used. */
function cpuOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + runMs(`/proc/${pid}/task/${task}/schedstat`), 0);
}

function runMs(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1_000_000;
}

/** The fields after the name of the program, which may contain spaces. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /su, '')
      .split(' ');
  } catch {
    return undefined;
  }
}

function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}

let heap: readonly number[] | undefined;

function heaps(): readonly number[] {
  const program = path.resolve(import.meta.dirname, '../programs/screen-memory.ts');
  heap ??= execFileSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' }).trim().split(' ').map(Number);
  return heap;
}

function quoted(...words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}
