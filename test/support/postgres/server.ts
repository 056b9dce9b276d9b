import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import type { PostgresBinaries } from './binaries.ts';

/** A PostgreSQL server of our own. */
export interface PostgresServer {
  /** The address of a database; of the administrator's, if none is named. */
  url(database?: string): string;
  readonly port: number;
  readonly version: string;
  /** The process number of its main process; undefined when it is down. */
  pid(): number | undefined;
  /** Starts it and waits until it answers. */
  start(): Promise<void>;
  /** Ends it at once, as a crash does (KILL), or in order (INT); resolves when it is gone. */
  stop(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>;
  /** Creates a database and returns its address. */
  createDatabase(name: string): Promise<string>;
}

/** How a server is started. */
export interface ServerOptions {
  /** An existing, empty folder; removed with the server. */
  readonly folder: string;
  /** The server does not outlive this process. */
  readonly watchedPid: number;
  /** Whether what it confirms survives a power cut. */
  readonly fsync: boolean;
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly port?: number;
}

// A shell of its own, which no signal to a group of processes ends, stops the server when whoever needs it is gone.
const guardian = `
trap '' HUP INT TERM QUIT
"$@" >>"$LOG" 2>&1 &
server=$!
here() { if [ -d /proc/self ]; then [ -d "/proc/$1" ]; else ps -p "$1" >/dev/null; fi; }
while here "$WATCHED" && here "$server"; do sleep 0.3; done
if here "$WATCHED"; then exit; fi
kill -QUIT "$server"
wait
rm -rf "$PLACE"
`;

/** Creates the files of a server; it is not started. */
export async function createServer(binaries: PostgresBinaries, options: ServerOptions): Promise<PostgresServer> {
  const { folder, watchedPid, fsync, settings = {} } = options;
  const data = path.join(folder, 'data');
  const { before, env, user } = binaries;
  const whole = { ...process.env, ...env, LC_ALL: 'C' };
  mkdirSync(data);
  if (user !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(data, user.uid, user.gid);
  }
  const [initdb, ...args] = [...before, path.join(binaries.folder, 'initdb')];
  const how = ['--no-sync', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-locale'];
  execFileSync(initdb, [...args, '-D', data, ...how], { env: whole, stdio: 'pipe', ...user });
  const port = options.port ?? (await freePort());
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    shared_buffers: '32MB',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = (database = 'postgres') => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  const pid = () => mainProcess(data);
  return {
    url,
    port,
    version: binaries.version,
    pid,
    async start() {
      const shell = spawn(
        '/bin/sh',
        ['-c', guardian, 'postgres-guardian', ...command(binaries), '-D', data, ...flags],
        {
          env: { ...whole, LOG: path.join(folder, 'log'), WATCHED: String(watchedPid), PLACE: folder },
          stdio: 'ignore',
          detached: true,
        },
      );
      shell.unref();
      await answers(url(), () => logOf(folder));
    },
    async stop(signal) {
      const main = pid();
      if (main === undefined) return;
      process.kill(main, signal);
      while (isThere(main)) await pause(20);
      // The others notice it by themselves, and the next server waits for them.
      if (signal === 'SIGKILL') rmSync(path.join(data, 'postmaster.pid'), { force: true });
    },
    async createDatabase(name) {
      const client = await connected(url());
      await client.query(`create database "${name}"`);
      await client.end();
      return url(name);
    },
  };
}

function command({ before, folder, user }: PostgresBinaries): readonly string[] {
  const program = path.join(folder, 'postgres');
  if (user === undefined) return [...before, program];
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', program];
}

function mainProcess(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return isThere(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** An open port is not a server yet: it answers only after its start-up message. */
async function answers(url: string, log: () => string): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      const client = await connected(url);
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${log()}`, { cause: error });
      await pause(50);
    }
  }
}

/** A connection whose loss ends nothing. */
async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function logOf(folder: string): string {
  try {
    return readFileSync(path.join(folder, 'log'), 'utf8').slice(-2_000);
  } catch {
    return 'it wrote no log';
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
