import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BackupTarget, type Progress, pushBackup } from '../../src/backup/index.ts';
import { nodeFiles } from '../../src/files/index.ts';
import { type OpenLoop, openLoopFolders } from '../../src/store/index.ts';
import type { BenchCase } from '../case.ts';

const loopId = 'ralph-bench-00000002';
const factsPerBackup = 100;
const document = {
  version: '2.0.0',
  loop_id: loopId,
  status: 'running',
  iteration: 1,
  ralphd: { padding: text(20_000, 0) },
};
/** As many as one page has, so that every run sees the same share of full pages. */
const measured = 16;

/** The cost of a backup must not depend on the age of its loop. */
export const cases: readonly BenchCase[] = [
  {
    name: 'bytes sent for a backup of a loop with 100,000 facts',
    against: 'the same with 1,600',
    unit: 'KB',
    budget: { times: 1.2 },
    runs: 2,
    warmUps: 0,
    floor: async () => (await (await young()).back(measured)).bytes / 1000,
    subject: async () => (await (await old()).back(measured)).bytes / 1000,
  },
  {
    name: 'time for a backup of a loop with 100,000 facts',
    against: 'the same with 1,600',
    unit: 'ms',
    budget: { times: 1.5 },
    runs: 5,
    warmUps: 1,
    floor: async () => (await (await young()).back(measured)).ms,
    subject: async () => (await (await old()).back(measured)).ms,
  },
];

interface Aged {
  /** Makes backups and says what one of them costs on average. */
  back(count: number): Promise<{ readonly bytes: number; readonly ms: number }>;
}

const young = once(async () => await createAged(16));
const old = once(async () => await createAged(1_000));

async function createAged(backups: number): Promise<Aged> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-backup-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  const loop = openLoop(root);
  const { signal } = new AbortController();
  const target = createTarget();
  let progress: Progress | undefined;
  let iteration = 0;
  const step = async () => {
    iteration += 1;
    grow(loop, iteration);
    const source = { files: nodeFiles, loopId, folder: loop.folder, epoch: loop.epoch, seq: loop.lastSeq };
    const ports = { target, place: 'bench', nowMs: () => Date.now(), signal, save: () => {} };
    progress = await pushBackup({ ...source, iteration, status: 'running', isOver: false }, progress, ports);
    return progress.last?.bytes ?? 0;
  };
  for (let made = 0; made < backups; made += 1) await step();
  return {
    async back(count) {
      const startedMs = performance.now();
      let bytes = 0;
      for (let made = 0; made < count; made += 1) bytes += await step();
      return { bytes: bytes / count, ms: (performance.now() - startedMs) / count };
    },
  };
}

function openLoop(root: string): OpenLoop {
  return openLoopFolders({
    root,
    owner: { host: 'bench', bootId: 'bench', pid: process.pid, startTime: '0' },
    livenessOf: () => 'alive',
    now: () => new Date(),
  }).create(loopId);
}

function grow(loop: OpenLoop, iteration: number): void {
  const facts = Array.from({ length: factsPerBackup }, (_, index) => ({
    type: 'iteration.started',
    data: { text: text(300, iteration * factsPerBackup + index), iteration },
  }));
  loop.append(facts);
  loop.writeSnapshot(document);
  const folder = loop.iterationFolder(iteration, 1);
  mkdirSync(folder, { recursive: true });
  for (const name of ['prompt', 'stdout', 'stderr'])
    writeFileSync(path.join(folder, name), `${name} of ${iteration}\n`.repeat(50));
}

/** A text that compresses like prose and code do: to about half. */
function text(length: number, seed: number): string {
  const blocks = Array.from({ length: Math.ceil(length / 64) }, (_, index) =>
    createHash('sha256').update(`${seed} ${index}`),
  );
  return blocks
    .map((block) => block.digest('hex'))
    .join('')
    .slice(0, length);
}

/** A target that keeps only what a backup reads. */
function createTarget(): BackupTarget {
  const manifests = new Map<string, Uint8Array>();
  return {
    where: 'memory',
    async create(name, bytes) {
      if (name.includes('/manifests/')) manifests.set(name, bytes);
      return true;
    },
    read: async (name) => manifests.get(name),
    list: async () => [],
    folders: async () => [],
    remove: async () => {},
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return async () => await (made ??= make());
}
