import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { launcher } from '../time-node.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-history-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** RALPHD_BENCH_SCALE=0.1 measures with a tenth of the data, for a busy machine. */
const scale = Number(process.env['RALPHD_BENCH_SCALE'] ?? 1);
const facts = { few: 1_000, many: Math.round(100_000 * scale) };
const bytes = { few: 10_000_000, many: Math.round(1_000_000_000 * scale) };

/** The memory needed to follow a long loop: it must not depend on the length. */
export const cases: readonly BenchCase[] = [
  {
    name: `events -f over ${facts.many.toLocaleString('en')} facts: peak memory`,
    against: `the same over ${facts.few.toLocaleString('en')}`,
    unit: 'MB',
    budget: { times: 1.5 },
    runs: 1,
    warmUps: 0,
    floor: async () => await peakOf(await journalWith(facts.few), ['events', 'ralph-bench-00000001', '-f', '--json']),
    subject: async () =>
      await peakOf(await journalWith(facts.many), ['events', 'ralph-bench-00000001', '-f', '--json']),
  },
  ...(['text', 'raw'] as const).map((form) => ({
    name: `logs -f --${form} over ${bytes.many / 1e6} MB in lines: peak memory`,
    against: `the same over ${bytes.few / 1e6} MB`,
    unit: 'MB' as const,
    budget: { times: 1.5 },
    runs: 1,
    warmUps: 0,
    floor: async () => await peakWhileFollowing('yes working', bytes.few, form),
    subject: async () => await peakWhileFollowing('yes working', bytes.many, form),
  })),
  {
    name: `logs -f over one line of ${bytes.many / 1e6} MB: peak memory`,
    against: `one of ${bytes.few / 1e6} MB`,
    unit: 'MB',
    budget: { times: 1.5 },
    runs: 1,
    warmUps: 0,
    floor: async () => await peakWhileFollowing('cat /dev/zero', bytes.few, 'text'),
    subject: async () => await peakWhileFollowing('cat /dev/zero', bytes.many, 'text'),
  },
];

/** A project with an ended loop whose journal has a number of facts. */
async function journalWith(count: number): Promise<string> {
  const folder = mkdtempSync(path.join(scratch, 'project-'));
  const program = path.join(import.meta.dirname, '../programs/write-journal.ts');
  const child = spawn(process.execPath, [program, path.join(folder, '.ralph'), String(count)], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error('the journal could not be written');
  return folder;
}

/** The peak memory of a follower that starts before an agent prints a number of bytes. */
async function peakWhileFollowing(source: string, count: number, form: 'text' | 'raw'): Promise<number> {
  const folder = mkdtempSync(path.join(scratch, 'project-'));
  const lines = ['#!/bin/sh', 'echo ready', 'until [ -e go ]; do sleep 0.1; done', `${source} | head -c ${count}`];
  writeFileSync(path.join(folder, 'agent.sh'), `${lines.join('\n')}\n`, { mode: 0o755 });
  const words = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '-n', '1', '--trust-promise'];
  const run = start(folder, [...words, '--json']);
  await once(run.stdout, 'data');
  const peak = peakOf(folder, ['logs', '-f', `--${form}`], () => writeFileSync(path.join(folder, 'go'), ''));
  run.stdout.resume();
  const [measured] = await Promise.all([peak, once(run, 'exit')]);
  // Only after the loop has ended, because it still writes after its output has ended.
  rmSync(folder, { recursive: true });
  return measured;
}

/** The peak memory of a command until it exits. */
async function peakOf(folder: string, words: readonly string[], onFirst: () => void = () => {}): Promise<number> {
  const child = start(folder, words);
  let peakMb = 0;
  const looks = setInterval(() => (peakMb = Math.max(peakMb, peakMbOf(child.pid))), 10);
  child.stdout.once('data', onFirst).resume();
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(looks);
  if (code !== 0) throw new Error(`ralphd ${words.join(' ')} exited with ${code}`);
  return peakMb;
}

function start(folder: string, words: readonly string[]) {
  return spawn(process.execPath, [launcher, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: os.tmpdir() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function peakMbOf(pid: number | undefined): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
