import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { launcher } from '../time-node.ts';

const bytes = 1_000_000_000;
const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-output-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const loud = agent('loud', `head -c ${bytes} /dev/zero`);
const quiet = agent('quiet', 'sleep 0.2');

/** The cost of an agent with unlimited output. */
export const cases: readonly BenchCase[] = [
  {
    name: '1 GB of output: peak memory',
    headline: 'memory of ralphd beside an agent that prints 1 GB',
    against: 'an agent that prints nothing',
    unit: 'MB',
    budget: { times: 1.5 },
    runs: 3,
    floor: async () => (await runLoop(quiet)).peakMb,
    subject: async () => (await runLoop(loud)).peakMb,
  },
  {
    name: '1 GB of output: one iteration',
    against: 'the same agent through cat into a file',
    unit: 'ms',
    budget: { times: 1.3 },
    runs: 5,
    floor: async () => await throughCat(loud),
    subject: async () => (await runLoop(loud)).agentMs,
  },
];

function agent(name: string, line: string): string {
  const file = path.join(scratch, name);
  writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
}

async function throughCat(program: string): Promise<number> {
  const file = path.join(scratch, 'spool');
  const startedAt = performance.now();
  await once(spawn('/bin/sh', ['-c', '"$1" | cat > "$2"', 'sh', program, file], { stdio: 'ignore' }), 'exit');
  const took = performance.now() - startedAt;
  rmSync(file);
  return took;
}

interface LoopFigures {
  /** The peak memory of ralphd itself. */
  readonly peakMb: number;
  /** From the start of the agent until all its processes have ended. */
  readonly agentMs: number;
}

/** One iteration through the real command line. */
async function runLoop(program: string): Promise<LoopFigures> {
  const folder = mkdtempSync(path.join(scratch, 'project-'));
  const words = ['run', 'x', '--agent', 'command', '--agent-command', program, '-n', '1', '--trust-promise', '--json'];
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: os.tmpdir() };
  const child = spawn(process.execPath, [launcher, ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let [peakMb, stdout] = [0, ''];
  const looks = setInterval(() => (peakMb = Math.max(peakMb, peakOf(child.pid))), 20);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(child, 'close');
  clearInterval(looks);
  rmSync(folder, { recursive: true });
  const finished = /"type":"agent\.finished".*?"durationMs":([\d.]+)/.exec(stdout)?.[1];
  if (finished === undefined) throw new Error(`the loop did not run: ${stdout}`);
  return { peakMb, agentMs: Number(finished) };
}

/** The peak resident memory of a process so far, in MB; undefined if it has just ended. */
function peakOf(pid: number | undefined): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
