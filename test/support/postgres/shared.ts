import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { describe } from 'vitest';
import { findPostgres } from './binaries.ts';
import { createServer } from './server.ts';

/** A database of its own, on a server that all test files of a run share. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

const found = findPostgres();

/** Tests that need PostgreSQL; skipped by name, with the reason, where none runs. */
export function describeWithPostgres(name: string, suite: () => void): void {
  const missing = 'missing' in found ? found.missing : undefined;
  const why = missing === undefined ? '' : ` (skipped: no PostgreSQL runs here: ${missing})`;
  describe.skipIf(missing !== undefined)(name + why, () => {
    suite();
  });
}

let databases = 0;

/** An empty database. */
export async function createDatabase(): Promise<TestDatabase> {
  const admin = await sharedServer();
  databases += 1;
  const name = `test_${process.pid}_${databases}_${Date.now().toString(36)}`;
  await execute(admin, `create database ${name}`);
  const url = admin.replace(/\/postgres$/, `/${name}`);
  return {
    url,
    [Symbol.asyncDispose]: async () => await execute(admin, `drop database if exists ${name} with (force)`),
  };
}

/** The process that runs all test files, or this one outside of such a run. */
const runPid = process.env['VITEST'] !== undefined && process.connected ? process.ppid : process.pid;

/** The administrator's address; the first who asks in a run starts the server, and it ends with the run. */
async function sharedServer(): Promise<string> {
  const folder = path.join(os.tmpdir(), `ralphd-postgres-${runPid}`);
  const note = path.join(folder, 'address');
  try {
    mkdirSync(folder);
  } catch {
    while (!existsSync(note)) await new Promise((resolve) => setTimeout(resolve, 20));
    return readFileSync(note, 'utf8');
  }
  if ('missing' in found) throw new Error(found.missing);
  const server = await createServer(found, { folder, watchedPid: runPid, fsync: false });
  await server.start();
  writeFileSync(`${note}.new`, server.url());
  renameSync(`${note}.new`, note);
  return server.url();
}

/** Runs one statement. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
