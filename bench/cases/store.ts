import { execFile } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type OpenLoop, openLoopFolders, type StoreOptions } from '../../src/store/index.ts';
import { masterOf, protectionWith, vaultWith } from '../../src/vault/testing/vaults.ts';
import type { BenchCase } from '../case.ts';

const run = promisify(execFile);
const loopId = 'ralph-bench-00000001';
const appends = 200;
const manyFacts = 100_000;
const fact = { type: 'iteration.started', data: { text: 'x'.repeat(300), iteration: 1 } };
const factBytes = Buffer.alloc(400, 'x');
const document = {
  version: '2.0.0',
  loop_id: loopId,
  status: 'running',
  iteration: 1,
  ralphd: { padding: Array.from({ length: 400 }, (_, index) => `line ${index} of a state with some history in it`) },
};

/** The cost of durability, each compared with the bare system calls it needs. */
export const cases: readonly BenchCase[] = [
  {
    name: `append ${appends} facts, one by one`,
    against: 'write + fdatasync',
    unit: 'ms',
    budget: { times: 1.5 },
    runs: 20,
    floor: async () => timed(() => repeat(appends, bareAppend)),
    subject: async () => timed(() => repeat(appends, () => small().append([fact]))),
  },
  {
    name: `append ${appends} facts to an encrypted loop`,
    against: 'the same without encryption',
    unit: 'ms',
    budget: { times: 1.3 },
    runs: 60,
    floor: async () => timed(() => repeat(appends, () => small().append([fact]))),
    subject: async () => timed(() => repeat(appends, () => encrypted().append([fact]))),
  },
  {
    name: 'write 50 snapshots',
    against: 'write + fsync + rename + fsync of the folder',
    unit: 'ms',
    budget: { times: 2 },
    runs: 20,
    floor: async () => timed(() => repeat(50, bareSnapshot)),
    subject: async () => timed(() => repeat(50, () => small().writeSnapshot(document))),
  },
  {
    name: `append ${appends} facts behind 100,000 others`,
    against: 'the same behind 10',
    unit: 'ms',
    budget: { times: 1.2 },
    runs: 20,
    floor: async () => timed(() => repeat(appends, () => small().append([fact]))),
    subject: async () => timed(() => repeat(appends, () => large().append([fact]))),
  },
  {
    name: 'look at a loop of 100,000 facts',
    against: 'reading its files',
    unit: 'ms',
    budget: { times: 2 },
    runs: 20,
    floor: async () => timed(() => readEverything(untouched())),
    subject: async () => timed(() => storeAt(path.resolve(untouched(), '../..')).read(loopId)),
  },
  {
    name: 'memory after 100,000 facts',
    against: 'after 10,000',
    unit: 'MB',
    budget: { times: 1.15 },
    runs: 3,
    floor: () => memoryAfter(10_000),
    subject: () => memoryAfter(manyFacts),
  },
];

const memoryDisk = 0x01021994;
// A sync costs nothing in memory, and what it is compared with would be another thing.
const disk = statfsSync(os.tmpdir()).type === memoryDisk ? path.resolve(import.meta.dirname, '..') : os.tmpdir();
const scratch = mkdtempSync(path.join(disk, 'ralphd-bench-store-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const small = once(() => loopWith('small', 10));
const encrypted = once(() => loopWith('encrypted', 10, { protection: protectionWith(vaultWith(masterOf())) }));
const large = once(() => loopWith('large', manyFacts));
const untouched = once(() => loopWith('untouched', manyFacts).folder);
const bareFile = once(() => openSync(path.join(scratch, 'bare'), 'a'));

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function storeAt(root: string, options: Pick<StoreOptions, 'protection'> = {}) {
  const owner = { host: 'bench', bootId: 'bench', pid: process.pid, startTime: '1' };
  // With the second copy of the journal that every loop has.
  const mirrorRoot = path.join(scratch, 'mirror', path.basename(root));
  return openLoopFolders({ root, owner, livenessOf: () => 'dead', now: () => new Date(), mirrorRoot, ...options });
}

function loopWith(name: string, facts: number, options: Pick<StoreOptions, 'protection'> = {}): OpenLoop {
  const open = storeAt(path.join(scratch, name), options).create(loopId);
  for (let left = facts; left > 0; left -= 1_000) {
    open.append(Array.from({ length: Math.min(left, 1_000) }, () => fact));
  }
  open.writeSnapshot(document);
  return open;
}

function bareAppend(): void {
  writeSync(bareFile(), factBytes);
  fdatasyncSync(bareFile());
}

function bareSnapshot(): void {
  const folder = path.join(scratch, 'bare-snapshots');
  mkdirSync(folder, { recursive: true });
  const temporary = path.join(folder, 'state.json.tmp');
  const file = openSync(temporary, 'w');
  writeSync(file, JSON.stringify(document, undefined, 2));
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path.join(folder, 'state.json'));
  const opened = openSync(folder, 'r');
  fsyncSync(opened);
  closeSync(opened);
}

function readEverything(folder: string): void {
  for (const name of readdirSync(folder)) {
    const place = path.join(folder, name);
    if (statSync(place).isDirectory()) readEverything(place);
    else if (name !== 'lock') readFileSync(place);
  }
}

/** Resident memory of a separate process after recording a number of facts. */
async function memoryAfter(facts: number): Promise<number> {
  const program = path.resolve(import.meta.dirname, '../programs/store-memory.ts');
  const { stdout } = await run(process.execPath, ['--expose-gc', program, String(facts)]);
  return Number(stdout);
}

function repeat(times: number, step: () => void): void {
  for (let index = 0; index < times; index += 1) step();
}

function timed(step: () => unknown): number {
  const startedAt = performance.now();
  step();
  return performance.now() - startedAt;
}
