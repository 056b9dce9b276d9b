import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gapsIn, notingAgent } from './contestant.ts';
import { contestant } from './contestants/ralphd.ts';
import type { Call } from './programs/record-calls.ts';
import { launcher } from './time-node.ts';

/*
 * Where the time between two agents goes: `node bench/waterfall.ts [--git] [--iterations 60] [--agent-ms 100]`.
 * `--program bin/ralphd.mjs` measures another build. Needs bash 5, whose clock does not start a process.
 */
const { values } = parseArgs({
  options: {
    git: { type: 'boolean', default: false },
    iterations: { type: 'string', default: '60' },
    'agent-ms': { type: 'string', default: '100' },
    program: { type: 'string', default: launcher },
  },
});
const keeperEnds = 'the end of the agent is noticed';
const keeperStarts = 'the next agent starts';
const thinking = 'ralphd computes or waits';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-waterfall-'));
try {
  const gaps = measure();
  console.log(toTable(gaps));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** One gap: what happened between the end of an agent and the beginning of the next. */
interface Gap {
  readonly ms: number;
  readonly steps: ReadonlyMap<string, { readonly ms: number; readonly calls: number }>;
}

function measure(): readonly Gap[] {
  const project = path.join(scratch, 'project');
  const [log, calls] = [path.join(scratch, 'agents'), path.join(scratch, 'calls')];
  mkdirSync(project);
  const agent = notingAgent(log, Number(values['agent-ms']));
  contestant.prepare({ folder: project, agent, iterations: 0 });
  const env = { PATH: process.env['PATH'], HOME: path.join(scratch, 'home') };
  if (values.git) {
    const git = (...args: readonly string[]) => spawnSync('git', [...args], { cwd: project, env });
    for (const words of ['init -q', 'add .', '-c user.name=x -c user.email=x@y commit -qm x']) git(...words.split(' '));
  }
  const recorder = path.join(import.meta.dirname, 'programs/record-calls.ts');
  spawnSync(
    process.execPath,
    ['--import', recorder, values.program, 'run', 'x', '-n', values.iterations, '--trust-project'],
    {
      cwd: project,
      env: { ...env, CALLS_FILE: calls },
    },
  );
  const recorded = JSON.parse(readFileSync(calls, 'utf8')) as readonly Call[];
  return gapsIn(readFileSync(log, 'utf8')).map(({ from, to }) => toGap(from, to, recorded));
}

function toGap(from: number, to: number, calls: readonly Call[]): Gap {
  const inside = calls.filter(([, , began, ended]) => began >= from && ended <= to);
  const steps = new Map<string, { ms: number; calls: number }>();
  const add = (step: string, ms: number, count = 0) => {
    const before = steps.get(step) ?? { ms: 0, calls: 0 };
    steps.set(step, { ms: before.ms + ms, calls: before.calls + count });
  };
  let at = from;
  for (const call of inside) {
    const [, , began, ended] = call;
    add(at === from ? keeperEnds : thinking, Math.max(0, began - at));
    add(stepOf(call), ended - began, 1);
    at = ended;
  }
  add(keeperStarts, to - at);
  return { ms: to - from, steps };
}

function stepOf([name, about]: Call): string {
  if (name === 'spawn') return `a process is started: ${path.basename(about)}`;
  if (about.startsWith('/proc')) return 'processes are looked up';
  if (about.includes('/journal')) return name === 'fdatasyncSync' ? 'the journal is synced' : 'the journal is written';
  if (name.startsWith('fsync')) return 'folders are synced';
  if (about.endsWith('/lock')) return 'the lock is looked at';
  if (about.includes('work-tree')) return 'the state of the work tree is kept';
  if (about.includes('/iterations')) return 'the folder and the files of the attempt are made';
  if (about.includes('/.ralph')) return 'folders of the loop are looked at';
  return 'the work tree and other files are read';
}

function toTable(gaps: readonly Gap[]): string {
  const names = [...new Set(gaps.flatMap(({ steps }) => [...steps.keys()]))];
  const rows = names.map((name) => {
    const of = (what: 'ms' | 'calls') => gaps.map(({ steps }) => steps.get(name)?.[what] ?? 0);
    return { name, ms: median(of('ms')), calls: median(of('calls')) };
  });
  const total = {
    name: 'the whole gap',
    ms: median(gaps.map(({ ms }) => ms)),
    calls: sum(rows.map(({ calls }) => calls)),
  };
  const shown = [...rows.filter(({ ms, calls }) => ms >= 0.01 || calls > 0), total];
  const lines = shown.map(({ name, ms, calls }) => `| ${name} | ${ms.toFixed(2)} | ${calls} |`);
  return [`| step (medians of ${gaps.length} gaps) | ms | calls |`, '| --- | --- | --- |', ...lines].join('\n');
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
