import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { migrateFleet, parseFleetAddress } from '../../../src/fleet/index.ts';
import { findPostgres } from '../../support/postgres/binaries.ts';
import { createServer, type PostgresServer } from '../../support/postgres/server.ts';

const bin = path.resolve(import.meta.dirname, '../../../bin/ralphd.mjs');

/** A fleet of real processes: a database server, a shared repository, and workers with folders of their own. */
export interface FleetWorld extends AsyncDisposable {
  readonly server: PostgresServer;
  readonly url: string;
  readonly folder: string;
  readonly workers: readonly FleetWorker[];
  /** Runs a command of ralphd to its end; returns what it prints. */
  ralphd(args: readonly string[]): string;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** A worker that is started again whenever it has died. */
export interface FleetWorker {
  readonly name: string;
  readonly folder: string;
  pid(): number | undefined;
  start(): void;
  signal(name: NodeJS.Signals): void;
  /** Ends it for good. */
  end(): Promise<void>;
}

/** Creates the world; its workers are not started. */
export async function createFleetWorld(
  folder: string,
  { workers, capacity }: { readonly workers: number; readonly capacity: number },
): Promise<FleetWorld> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(found.missing);
  for (const name of ['home', 'tmp']) mkdirSync(path.join(folder, name));
  // Beside it: only this user may look into the folder, and the server may run as another one.
  mkdirSync(`${folder}-postgres`);
  const server = await createServer(found, {
    folder: `${folder}-postgres`,
    watchedPid: process.pid,
    fsync: true,
    settings: { idle_in_transaction_session_timeout: '5s' },
  });
  await server.start();
  const url = await server.createDatabase('fleet');
  await migrateFleet(parseFleetAddress(url));
  const env = environment(folder, url);
  makeRepository(folder, env);
  const crew = Array.from({ length: workers }, (_, index) =>
    createWorker(`worker-${index + 1}`, { folder, env, capacity }),
  );
  return {
    server,
    url,
    folder,
    workers: crew,
    ralphd: (args) =>
      execFileSync(process.execPath, [bin, ...args], { cwd: path.join(folder, 'seed'), env, encoding: 'utf8' }),
    query: async (text, values = []) => await queryOnce(url, text, values),
    async [Symbol.asyncDispose]() {
      await Promise.all(crew.map(async (worker) => await worker.end()));
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
const agent = `#!/bin/sh
i=0
while [ $i -lt 8 ]; do
  i=$((i+1))
  echo "$(date +%s.%N) $RALPHD_LOOP_ID $RALPHD_ATTEMPT $$" >> "$STORM_TICKS"
  sleep 0.2
done
echo "$RALPHD_ATTEMPT" >> work
echo "worked"
`;

function makeRepository(folder: string, env: NodeJS.ProcessEnv): void {
  const seed = path.join(folder, 'seed');
  const git = (cwd: string, ...args: readonly string[]) => execFileSync('git', args, { cwd, env, stdio: 'pipe' });
  git(folder, 'init', '-q', '--bare', '-b', 'main', 'shared.git');
  git(folder, 'init', '-q', '-b', 'main', 'seed');
  writeFileSync(path.join(seed, 'agent.sh'), agent, { mode: 0o755 });
  writeFileSync(path.join(seed, 'work'), '');
  git(seed, 'add', '-A');
  git(seed, 'commit', '-qm', 'Begin');
  git(seed, 'remote', 'add', 'origin', path.join(folder, 'shared.git'));
  git(seed, 'push', '-q', 'origin', 'main');
  appendFileSync(path.join(folder, 'ticks'), '');
}

function createWorker(
  name: string,
  { folder, env, capacity }: { readonly folder: string; readonly env: NodeJS.ProcessEnv; readonly capacity: number },
): FleetWorker {
  const own = path.join(folder, name);
  const log = openSync(path.join(folder, `${name}.log`), 'a');
  let child: ChildProcess | undefined;
  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    folder: own,
    pid: () => (isAlive() ? child?.pid : undefined),
    start() {
      if (isAlive()) return;
      const args = ['worker', '--trust', 'all', '--offer', 'command', '--dir', own, '--capacity', String(capacity)];
      child = spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio: ['ignore', log, log] });
    },
    signal: (signal) => void child?.kill(signal),
    async end() {
      if (!isAlive()) return;
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      child?.kill('SIGTERM');
      const over = new Promise((resolve) => child?.once('exit', resolve));
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

/** Keepers of agents that work for this world now. */
export function keepersOf(folder: string): readonly number[] {
  const rows = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  const keepers = rows.filter((row) => row.includes('ralphd-keeper')).map((row) => Number.parseInt(row, 10));
  return keepers.filter((pid) => worksIn(pid, folder));
}

function worksIn(pid: number, folder: string): boolean {
  try {
    return execFileSync('readlink', [`/proc/${pid}/cwd`], { encoding: 'utf8' }).startsWith(folder);
  } catch {
    return false;
  }
}

/** What the agents said, oldest first. */
export function ticksOf(folder: string): readonly Tick[] {
  const lines = readFileSync(path.join(folder, 'ticks'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [at, loop = '', marker = '', pid] = line.split(' ');
    const [, iteration, attempt] = marker.split(',')[0]?.split('/') ?? [];
    if (pid === undefined) return [];
    return [{ at: Number(at), loop, iteration: Number(iteration), attempt: Number(attempt), pid: Number(pid) }];
  });
}

/** A sign that an agent was at work. */
export interface Tick {
  readonly at: number;
  readonly loop: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly pid: number;
}
