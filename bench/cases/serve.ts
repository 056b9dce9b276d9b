import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { launcher } from '../time-node.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-serve-'));
const children: ChildProcess[] = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const iterations = 5_000;
const liveLoops = 100;
/** For how long the server is watched. */
const watchMs = 20_000;

/** What it costs to show loops in a browser. */
export const cases: readonly BenchCase[] = [
  {
    name: `CPU until the first data of a page with ${iterations.toLocaleString('en')} iterations and 100,000 facts`,
    against: 'nothing',
    unit: 'ms',
    budget: { plus: 1_000 },
    runs: 3,
    warmUps: 0,
    floor: async () => await Promise.resolve(0),
    subject: async () => (await firstPage()).ms,
  },
  {
    name: 'size of that data',
    against: 'nothing',
    unit: 'KB',
    budget: { plus: 300 },
    runs: 1,
    warmUps: 0,
    floor: async () => await Promise.resolve(0),
    subject: async () => (await firstPage()).kilobytes,
  },
  {
    name: `CPU of a server with a page on ${liveLoops} live loops, each second`,
    against: 'nothing',
    unit: 'ms',
    budget: { plus: 100 },
    runs: 1,
    warmUps: 0,
    floor: async () => await Promise.resolve(0),
    subject: async () => (await liveUse()).cpuMs,
  },
  {
    name: `memory of a server with a page on ${liveLoops} live loops`,
    against: 'nothing',
    unit: 'MB',
    budget: { plus: 150 },
    runs: 1,
    warmUps: 0,
    floor: async () => await Promise.resolve(0),
    subject: async () => (await liveUse()).mb,
  },
];

let longProject: Promise<string> | undefined;

async function firstPage(): Promise<{ readonly ms: number; readonly kilobytes: number }> {
  longProject ??= writeLong();
  const server = await startServer(await longProject);
  // What the server does at its start is not part of it.
  await get(server, '/healthz');
  const before = cpuOf(server.child.pid ?? 0);
  const text = await get(server, '/api/loops/ralph-long-00000001');
  const ms = cpuOf(server.child.pid ?? 0) - before;
  server.child.kill('SIGKILL');
  return { ms, kilobytes: Buffer.byteLength(text) / 1_000 };
}

async function writeLong(): Promise<string> {
  const folder = mkdtempSync(path.join(scratch, 'long-'));
  const program = path.join(import.meta.dirname, '../programs/write-long-loop.ts');
  const child = spawn(process.execPath, [program, path.join(folder, '.ralph'), String(iterations)], {
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error('the loop could not be written');
  return folder;
}

let measured: Promise<{ readonly cpuMs: number; readonly mb: number }> | undefined;

async function liveUse() {
  measured ??= measureLive();
  return await measured;
}

async function measureLive() {
  const folder = mkdtempSync(path.join(scratch, 'live-'));
  const program = path.join(import.meta.dirname, '../programs/keep-loops-alive.ts');
  const owner = spawn(process.execPath, [program, path.join(folder, '.ralph'), String(liveLoops)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(owner);
  await once(owner.stdout, 'data');
  const server = await startServer(folder);
  const page = http.get(`${server.origin}/api/events`, { headers: server.headers }, (response) => response.resume());
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const before = cpuOf(server.child.pid ?? 0);
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  const use = {
    cpuMs: ((cpuOf(server.child.pid ?? 0) - before) * 1_000) / watchMs,
    mb: residentMb(server.child.pid ?? 0),
  };
  page.destroy();
  server.child.kill('SIGKILL');
  owner.kill('SIGKILL');
  return use;
}

interface Server {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function startServer(folder: string): Promise<Server> {
  const token = 'bench'.repeat(10);
  writeFileSync(path.join(folder, 'token'), token, { mode: 0o600 });
  const words = ['serve', '--json', '--port', '0', '--token-file', 'token'];
  const child = spawn(process.execPath, [launcher, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { origin } = JSON.parse(line.toString()) as { readonly origin: string };
  return { child, origin, headers: { authorization: `Bearer ${token}` } };
}

async function get({ origin, headers }: Server, address: string): Promise<string> {
  const response = await fetch(`${origin}${address}`, { headers });
  if (!response.ok) throw new Error(await response.text());
  return await response.text();
}

const ticksPerSecond = 100;

/** CPU milliseconds that a process has used. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return ((Number(stat[11]) + Number(stat[12])) * 1_000) / ticksPerSecond;
}

function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}
