import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { grantAny, realPath } from '../../src/app/index.ts';
import { endByMarker, findByMarker } from '../../src/process/index.ts';
import { beginInside, runInside } from './inside.ts';
import { launcher } from './ralphd-process.ts';
import { toolSettings } from './system.ts';

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed so far. */
  output(): Pick<Ended, 'stdout' | 'stderr'>;
  signal(signal: NodeJS.Signals): void;
  /** Stops reading, as `head` does. */
  closeOutput(): void;
}

/** A running command that cannot be signalled, because it may run inside the test's process. */
export type Begun = Pick<Running, 'ended' | 'output'>;

/** A separate folder to run ralphd in, as a user does. */
export interface Project {
  readonly folder: string;
  /** The environment of ralphd. */
  readonly env: NodeJS.ProcessEnv;
  /** Every process started from here, at any depth. */
  processes(): readonly number[];
  has(name: string): boolean;
  read(name: string): string;
  write(name: string, text: string): void;
  /** Writes an executable shell program. */
  script(name: string, ...lines: readonly string[]): void;
  start(args: readonly string[], env?: NodeJS.ProcessEnv): Running;
  /** Starts a command inside this process; for one that is signalled or killed there is `start`. */
  begin(args: readonly string[], env?: NodeJS.ProcessEnv): Begun;
  /** Runs a command to its end inside this process. */
  ralphd(...args: readonly string[]): Promise<Ended>;
  /** The same, with additional environment variables. */
  ralphdWith(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Ended>;
  /** Runs a command to its end in a separate process. */
  program(...args: readonly string[]): Promise<Ended>;
}

/** How a project begins. */
export interface ProjectStart {
  /** Whether its user trusts whatever it brings, as most tests are about something else. Default: yes. */
  readonly isTrusted?: boolean;
}

/** A project in a temporary folder; processes still running in it are killed at the end of the test. */
export function createProject({ isTrusted = true }: ProjectStart = {}): Project {
  const home = mkdtempSync(path.join(os.tmpdir(), 'ralphd-e2e-'));
  const folder = path.join(home, 'a project');
  const marker = randomUUID();
  onTestFinished(async () => {
    await endByMarker(marker);
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  mkdirSync(folder);
  const own = {
    PATH: [path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter),
    HOME: home,
    TMPDIR: os.tmpdir(),
    RALPHD_ATTEMPT: marker,
    ...toolSettings,
  };
  if (isTrusted) grantAny(realPath(home), own);
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Running =>
    follow(spawn(process.execPath, [launcher, ...args], { cwd: folder, env: { ...own, ...env } }));
  return {
    folder,
    env: own,
    processes: () => findByMarker(marker),
    has: (name) => existsSync(path.join(folder, name)),
    read: (name) => readFileSync(path.join(folder, name), 'utf8'),
    write: (name, text) => writeFileSync(path.join(folder, name), text),
    script(name, ...lines) {
      writeFileSync(path.join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'));
      chmodSync(path.join(folder, name), 0o755);
    },
    start,
    begin: (args, env = {}) => beginInside(args, { cwd: folder, env: { ...own, ...env } }),
    ralphd: async (...args) => await runInside(args, { cwd: folder, env: own }),
    ralphdWith: async (env, args) => await runInside(args, { cwd: folder, env: { ...own, ...env } }),
    program: async (...args) => await start(args).ended,
  };
}

/** Follows a process from its start; its input is closed immediately unless `keepInput` is set. */
export function follow(child: ChildProcess, keepInput = false): Running {
  let stdout = '';
  let stderr = '';
  if (!keepInput) child.stdin?.end();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    pid: child.pid ?? 0,
    ended: closed.then(([code, signal]) => ({ code, signal, stdout, stderr })),
    output: () => ({ stdout, stderr }),
    signal: (signal) => void child.kill(signal),
    closeOutput: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

/** Polls until the value is as expected. */
export function eventually<Seen>(look: () => Seen) {
  return expect.poll(look);
}

/** Replaces every duration in a text, because durations depend on the machine. */
export function withoutDurations(text: string): string {
  return text.replace(/\b(\d+m )?\d+(\.\d)?s\b/g, '0.1s');
}

/** The objects that a command printed, one per line; fails on anything else. */
export function jsonLines(stdout: string): readonly Record<string, unknown>[] {
  expect(stdout.endsWith('\n'), stdout).toBe(true);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The last line of `run --json`. */
export function endLine({ stdout }: Ended): Record<string, unknown> {
  return jsonLines(stdout).at(-1) ?? {};
}

/** The ids of the loops in a project. */
export function loopIds(project: Project): readonly string[] {
  const loops = path.join(project.folder, '.ralph/loops');
  return existsSync(loops) ? readdirSync(loops).sort() : [];
}

/** The folder of the only loop, relative to the project. */
function loopFolder(project: Project): string {
  const [id, ...others] = loopIds(project);
  if (id === undefined || others.length > 0) throw new Error(`expected one loop, not ${others.length + 1}`);
  return `.ralph/loops/${id}`;
}

/** The snapshot of the only loop. */
export function stateOf(project: Project): Record<string, unknown> & { readonly ralphd: Record<string, unknown> } {
  return JSON.parse(project.read(`${loopFolder(project)}/state.json`)) as ReturnType<typeof stateOf>;
}

/** A line of a journal. */
export interface JournalLine {
  readonly seq: number;
  readonly type: string;
  readonly epoch: number;
  readonly data: Record<string, unknown>;
}

/** The journal of the only loop. */
export function journalOf(project: Project): readonly JournalLine[] {
  const folder = `${loopFolder(project)}/journal`;
  const segments = readdirSync(path.join(project.folder, folder)).sort();
  return segments.flatMap((name) => jsonLines(project.read(`${folder}/${name}`)) as unknown as readonly JournalLine[]);
}

/** The data of all facts of one type in the journal of the only loop. */
export function factsOf(project: Project, type: string): readonly Record<string, unknown>[] {
  return journalOf(project).flatMap((line) => (line.type === type ? [line.data] : []));
}

/** The agent's prompt in an attempt of the only loop. */
export function promptOf(project: Project, iteration: number, attempt = 1): string {
  const number = String(iteration).padStart(3, '0');
  return project.read(`${loopFolder(project)}/iterations/${number}/attempt-${attempt}/prompt`);
}
