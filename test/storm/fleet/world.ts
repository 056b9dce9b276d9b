import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { submitLoop } from '../../../src/app/fleet/submit.ts';
import { migrateFleet, openFleet, parseFleetAddress } from '../../../src/fleet/index.ts';
import { configSchema } from '../../../src/protocol/index.ts';
import { findPostgres } from '../../support/postgres/binaries.ts';
import { createServer, type PostgresServer } from '../../support/postgres/server.ts';

const bin = path.resolve(import.meta.dirname, '../../../bin/ralphd.mjs');

/** A fleet of real processes: a database server, a shared repository, and workers with folders of their own. */
export interface FleetWorld extends AsyncDisposable {
  readonly url: string;
  /** Its own server, if it has one. */
  readonly server: PostgresServer | undefined;
  readonly folder: string;
  /** Runs a command of ralphd to its end; returns what it prints. */
  ralphd(args: readonly string[]): string;
  readonly workers: readonly FleetWorker[];
  /** What was done to its members, oldest first. */
  readonly events: readonly WorldEvent[];
  submit(number: number): Promise<void>;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  stopDatabase(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>;
  startDatabase(): Promise<void>;
  /** Keepers of agents that this worker, or the one before it in its folder, has started. */
  keepersOf(worker: FleetWorker): readonly number[];
  /** What the agents said, oldest first. */
  ticks(): readonly Tick[];
}

/** When something stopped working, or could work again. */
export interface WorldEvent {
  readonly at: number;
  /** The name of a worker, or `database`. */
  readonly who: string;
  readonly isUp: boolean;
}

/** A worker that is started again whenever it has died. */
export interface FleetWorker {
  readonly name: string;
  /** Its name in the fleet; undefined before it has one. */
  machine(): string | undefined;
  start(): void;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it for good. */
  end(): Promise<void>;
}

/** A sign that an agent was at work. */
export interface Tick {
  /** In seconds since the epoch. */
  readonly at: number;
  readonly loop: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly pid: number;
}

/** What a world has. */
export interface WorldSetting {
  readonly workers: number;
  readonly capacity: number;
  /** Further variables of the workers. */
  readonly env?: NodeJS.ProcessEnv;
  /** Left out, it has a server of its own, which can be stopped. */
  readonly database?: WorldDatabase;
}

/** The database of a world. */
interface WorldDatabase {
  readonly url: string;
  /** The addresses for the workers, if they have others. */
  readonly workerUrls?: readonly string[];
}

/** A server that can be stopped. */
interface OwnServer extends WorldDatabase, AsyncDisposable {
  readonly server: PostgresServer;
}

/** Creates the world; its workers are not started. */
export async function createFleetWorld(folder: string, setting: WorldSetting): Promise<FleetWorld> {
  for (const name of ['home', 'tmp']) mkdirSync(path.join(folder, name));
  const own = setting.database === undefined ? await startServer(folder) : undefined;
  const { url, workerUrls = [] } = setting.database ?? own ?? { url: '' };
  await migrateFleet(parseFleetAddress(url));
  const env = { ...environment(folder, url), ...setting.env };
  makeRepository(folder, env);
  const events: WorldEvent[] = [];
  const note = (who: string, isUp: boolean) => void events.push({ at: Date.now() / 1_000, who, isUp });
  const workers = Array.from({ length: setting.workers }, (_, index) =>
    createWorker(`worker-${index + 1}`, {
      folder,
      env: { ...env, RALPHD_DB: workerUrls[index] ?? url },
      capacity: setting.capacity,
      note,
    }),
  );
  return {
    url,
    server: own?.server,
    folder,
    ralphd: (args) =>
      execFileSync(process.execPath, [bin, ...args], { cwd: path.join(folder, 'seed'), env, encoding: 'utf8' }),
    workers,
    events,
    submit: async (number) => await submit(url, path.join(folder, 'shared.git'), number),
    query: async (text, values = []) => await queryOnce(url, text, values),
    async stopDatabase(signal) {
      note('database', false);
      await own?.server.stop(signal);
    },
    async startDatabase() {
      await own?.server.start();
      note('database', true);
    },
    keepersOf: ({ name }) => keepersIn(path.join(folder, name)),
    ticks: () => ticksIn(folder),
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map(async (worker) => await worker.end()));
      await own?.[Symbol.asyncDispose]();
    },
  };
}

async function startServer(folder: string): Promise<OwnServer> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  // Beside it: only this user may look into the folder, and the server may run as another one.
  mkdirSync(`${folder}-postgres`);
  const server = await createServer(found, { folder: `${folder}-postgres`, watchedPid: process.pid, fsync: true });
  await server.start();
  return {
    server,
    url: await server.createDatabase('fleet'),
    async [Symbol.asyncDispose]() {
      await server.stop('SIGQUIT');
      rmSync(`${folder}-postgres`, { recursive: true, force: true });
    },
  };
}

function environment(folder: string, url: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: path.join(folder, 'home'),
    TMPDIR: path.join(folder, 'tmp'),
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Tester',
    GIT_AUTHOR_EMAIL: 'tester@example.org',
    GIT_COMMITTER_NAME: 'Tester',
    GIT_COMMITTER_EMAIL: 'tester@example.org',
    RALPHD_DB: url,
    STORM_TICKS: path.join(folder, 'ticks'),
  };
}

/** The agent says five times a second that it is at work, for which iteration, and as which process. */
const agent = `#!/usr/bin/perl
open my $ticks, '>>', $ENV{STORM_TICKS} or die;
for (1 .. 12) {
  open my $file, '<', '/proc/uptime';
  my ($now) = split ' ', <$file>;
  syswrite $ticks, "$now $ENV{RALPHD_LOOP_ID} $ENV{RALPHD_ATTEMPT} $$\\n";
  select undef, undef, undef, 0.2;
}
open my $work, '>>', 'work';
print $work "$ENV{RALPHD_ATTEMPT}\\n";
print "worked\\n";
`;

function makeRepository(folder: string, env: NodeJS.ProcessEnv): void {
  const seed = path.join(folder, 'seed');
  const git = (cwd: string, ...args: readonly string[]) => execFileSync('git', args, { cwd, env, stdio: 'pipe' });
  git(folder, 'init', '-q', '--bare', '-b', 'main', 'shared.git');
  git(folder, 'init', '-q', '-b', 'main', 'seed');
  writeFileSync(path.join(seed, 'agent.pl'), agent, { mode: 0o755 });
  writeFileSync(path.join(seed, 'work'), '');
  git(seed, 'add', '-A');
  git(seed, 'commit', '-qm', 'Begin');
  git(seed, 'push', '-q', path.join(folder, 'shared.git'), 'main');
  appendFileSync(path.join(folder, 'ticks'), '');
}

/** Queues a loop that goes on whatever happens. */
async function submit(url: string, repository: string, number: number): Promise<void> {
  const settings = {
    prompt: `Task ${number}`,
    agent: 'command',
    agentCommand: './agent.pl',
    verify: ['false'],
    baseline: false,
    maxIterations: 100_000,
    iterationDelay: '200ms',
    stopConditions: { maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 },
  };
  const given = Object.keys(settings);
  const config = configSchema.parse(settings);
  await using fleet = openFleet(url, { connections: 1 });
  await submitLoop(fleet, { config, given, chosen: given, repository, ref: 'main', priority: 0, labels: [] });
}

interface WorkerSetting {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly capacity: number;
  readonly note: (who: string, isUp: boolean) => void;
}

function createWorker(name: string, { folder, env, capacity, note }: WorkerSetting): FleetWorker {
  const own = path.join(folder, name);
  const log = openSync(path.join(folder, `${name}.log`), 'a');
  let child: ChildProcess | undefined;
  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    machine: () => readIfThere(path.join(own, 'machine'))?.trim(),
    start() {
      if (isAlive()) return;
      const args = ['worker', '--trust', 'all', '--offer', 'command', '--dir', own, '--capacity', String(capacity)];
      child = spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio: ['ignore', log, log] });
      note(name, true);
    },
    signal(signal) {
      child?.kill(signal);
      note(name, signal === 'SIGCONT');
    },
    async end() {
      if (!isAlive()) return;
      const over = new Promise((resolve) => child?.once('exit', resolve));
      for (const signal of ['SIGCONT', 'SIGTERM', 'SIGTERM'] as const) child?.kill(signal);
      const timer = setTimeout(() => child?.kill('SIGKILL'), 15_000);
      await over;
      clearTimeout(timer);
    },
  };
}

/** Waits while the server is down. */
async function queryOnce<Row extends object>(url: string, text: string, values: readonly unknown[]): Promise<Row[]> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(text, [...values])).rows;
    } catch (error) {
      if (attempt > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Keepers whose agents work below a folder now. */
function keepersIn(folder: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => isKeeperIn(pid, folder)).map(Number);
}

function isKeeperIn(pid: string, folder: string): boolean {
  if (readIfThere(`/proc/${pid}/comm`)?.trim() !== 'ralphd-keeper') return false;
  const children = readIfThere(`/proc/${pid}/task/${pid}/children`)?.trim().split(' ') ?? [];
  return children.some((child) => workingFolder(child)?.startsWith(`${folder}/`) === true);
}

function workingFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function ticksIn(folder: string): readonly Tick[] {
  // Agents read the time since the machine was started: that needs no program.
  const startedAt = Date.now() / 1_000 - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  const lines = readFileSync(path.join(folder, 'ticks'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [up, loop = '', marker = '', pid] = line.split(' ');
    const [, iteration, attempt] = marker.split(',')[0]?.split('/') ?? [];
    if (pid === undefined) return [];
    const key = { loop, iteration: Number(iteration), attempt: Number(attempt), pid: Number(pid) };
    return [{ at: startedAt + Number(up), ...key }];
  });
}
