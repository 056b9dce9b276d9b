import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FilePort, OpenFile } from '../files/index.ts';
import { systemError } from '../files/testing/faulty-files.ts';
import { createMemoryFiles } from '../files/testing/memory-files.ts';
import { createNonces, nonceOf } from './nonces.ts';
import { sealedFiles } from './sealed-files.ts';
import { repeatableBytes } from './testing/vaults.ts';

const loopId = 'ralph-x-a1b2c3d4';
const key = Buffer.alloc(32, 7);
const record = { loopId, keyId: 'k', createdAt: '2026-11-16T10:00:00.000Z', clear: [], complete: true };
const segmentAppends = 120;

test('the nonces of one key are all different', () => {
  const nonces = createNonces();
  const seen = new Set<string>();
  for (let index = 0; index < 50_000; index += 1) seen.add(nonces.next().nonce.toString('latin1'));
  expect(seen.size).toBe(50_000);
  expect(nonceOf(2 ** 32)).not.toEqual(nonceOf(0));
});

/** A number from 0 up to below `limit`, the same in every run. */
function createChances(seed: string): (limit: number) => number {
  let calls = 0;
  return (limit) => {
    calls += 1;
    return createHash('sha256').update(`${seed} ${calls}`).digest().readUInt32BE() % limit;
  };
}

/** Notes the key and the nonce of every frame that is given to a disk, whether or not it is written. */
function createWitness() {
  const used = new Set<string>();
  const keys = new Set<string>();
  const repeated: string[] = [];
  const keyOf = new Map<OpenFile, string>();
  return {
    used,
    keys,
    repeated,
    see(file: OpenFile, bytes: Uint8Array) {
      const text = Buffer.from(bytes).toString('latin1');
      // The key of a file follows from the key of the loop, this salt and this name.
      const [, header] = /^\{"ralphd":"sealed","v":1,(.*)\}\n/.exec(text) ?? [];
      if (header !== undefined) keyOf.set(file, header);
      for (const [, n] of text.matchAll(/^\{"n":(\d+),/gm)) {
        const fileKey = keyOf.get(file) ?? expect.unreachable('a frame without a salt before it');
        const pair = `${fileKey} ${n}`;
        keys.add(fileKey);
        if (used.has(pair)) repeated.push(pair);
        used.add(pair);
      }
    },
  };
}

/** A disk whose next call of a kind fails; a write that fails has written the half of it. */
function createFailingDisk(inner: FilePort, witness: ReturnType<typeof createWitness>) {
  const fails = { write: false, sync: false };
  const files: FilePort = {
    ...inner,
    write(file, bytes) {
      witness.see(file, bytes);
      if (!fails.write) return inner.write(file, bytes);
      fails.write = false;
      inner.write(file, bytes.subarray(0, bytes.byteLength >> 1));
      throw systemError('EIO');
    },
    syncData(file) {
      if (fails.sync) {
        fails.sync = false;
        throw systemError('EIO');
      }
      inner.syncData(file);
    },
  };
  return { files, fails };
}

/** Appends lines as a journal does: what a failed write or sync leaves in doubt is written again, into a new file. */
class Appender {
  readonly #files: FilePort;
  readonly #nextName: () => string;
  #file: OpenFile | undefined;
  #appends = 0;

  constructor(files: FilePort, nextName: () => string) {
    this.#files = files;
    this.#nextName = nextName;
  }

  append(line: string): void {
    if (this.#appends >= segmentAppends) this.#leave();
    try {
      this.#write(line);
    } catch {
      this.#leave();
      this.#write(line);
    }
  }

  #write(line: string): void {
    this.#file ??= this.#files.create(this.#nextName());
    this.#files.write(this.#file, Buffer.from(line));
    this.#files.syncData(this.#file);
    this.#appends += 1;
  }

  #leave(): void {
    if (this.#file !== undefined) this.#files.close(this.#file);
    this.#file = undefined;
    this.#appends = 0;
  }
}

test('no key uses a nonce twice, however often writers crash, power goes, writes and syncs fail, and names come again', () => {
  const chance = createChances('crashes');
  const witness = createWitness();
  const randomBytes = repeatableBytes('appends');
  const ends = { crash: 0, powerCut: 0, write: 0, sync: 0 };
  let disk = emptyDisk();
  let segment = 0;
  const start = () => {
    const failing = createFailingDisk(disk, witness);
    const files = sealedFiles({
      files: failing.files,
      loopId,
      folder: '/loop',
      unlock: () => ({ record, key }),
      randomBytes,
    });
    const nextName = () => {
      do segment += 1;
      while (disk.look(nameOf(segment)));
      return nameOf(segment);
    };
    return { ...failing, appender: new Appender(files, nextName) };
  };
  let running = start();
  for (let index = 0; index < 20_000; index += 1) {
    const what = chance(120);
    if (what === 0) {
      // The writer is gone with its counter; its file stays.
      ends.crash += 1;
      running = start();
    } else if (what === 1) {
      // An older disk, or an empty one: the same names are created again, and the same lines are written.
      ends.powerCut += 1;
      disk = chance(2) === 0 ? emptyDisk() : disk.afterPowerCut((most) => chance(most + 1));
      segment = 0;
      running = start();
    } else if (what === 2 || what === 3) {
      const kind = what === 2 ? 'write' : 'sync';
      ends[kind] += 1;
      running.fails[kind] = true;
    }
    running.appender.append(`{"line":${index % 50}}\n`);
  }
  for (const [name, count] of Object.entries(ends)) expect(count, name).toBeGreaterThan(100);
  expect(witness.repeated).toEqual([]);
  // Frames that were written again count twice.
  expect(witness.used.size).toBe(20_000 + ends.write + ends.sync);
  expect(witness.keys.size).toBeGreaterThanOrEqual(ends.crash + ends.powerCut);
});

function nameOf(segment: number): string {
  return `/loop/journal/0001-${String(segment).padStart(4, '0')}.jsonl`;
}

function emptyDisk() {
  const disk = createMemoryFiles();
  for (const folder of ['/loop', '/loop/journal']) {
    disk.makeFolder(folder);
    disk.syncFolder(folder === '/loop' ? '/' : '/loop');
  }
  return disk;
}
