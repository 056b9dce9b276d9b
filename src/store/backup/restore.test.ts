import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { FilePort } from '../../files/index.ts';
import { systemError, watchFiles } from '../../files/testing/faulty-files.ts';
import { createMemoryFiles, type MemoryFiles } from '../../files/testing/memory-files.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { checkpointOf } from '../testing/checkpoints.ts';
import { code } from '../testing/failing.ts';
import { createMemoryLock } from '../testing/memory-lock.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

const nothingMore = () => [];

/** Facts 1 to 4, two epochs, a checkpoint after 2 and a snapshot after 4. */
function write(root: string, files?: FilePort) {
  const options = files ? { files, lock: createMemoryLock() } : {};
  const first = storeIn(root, options).create(loopId);
  first.append(factsOf(1, 2));
  const checkpoint = checkpointOf(first, 2);
  first.append(factsOf(3));
  first.close();
  const second = storeIn(root, options).open(loopId);
  second.append(factsOf(4));
  second.writeSnapshot(documentOf(4));
  second.close();
  return { folder: first.folder, checkpoint };
}

test('R22: a restored loop continues from the chosen state, and every later fact is kept as *.superseded and counted', () => {
  const root = temporaryFolder();
  const { folder, checkpoint } = write(root);
  const state = readFileSync(path.join(folder, 'state.json'));
  const { open, plan, superseded } = storeIn(root).restore(loopId, checkpoint, nothingMore);
  expect(numbersOf(plan.superseded)).toEqual([3, 4]);
  expect(open.epoch).toBe(3);
  open.append(factsOf(30));
  open.writeSnapshot(documentOf(3));
  open.close();

  const [aside, tail, later] = superseded;
  expect(readFileSync(path.join(folder, aside ?? ''))).toEqual(state);
  expect(readFileSync(path.join(folder, tail ?? ''), 'utf8')).toContain('"number":3}');
  expect(readFileSync(path.join(folder, later ?? ''), 'utf8')).toContain('"number":4}');
  expect(readdirSync(path.join(folder, 'journal')).filter((name) => name.endsWith('.jsonl'))).toEqual([
    '0001-0001.jsonl',
    '0003-0001.jsonl',
  ]);
  using again = storeIn(root).open(loopId);
  expect(again.recovered).toMatchObject({ snapshot: documentOf(3), entries: [], problems: [] });
});

test('the restored history can be read from the journal alone, too', () => {
  const root = temporaryFolder();
  const { folder, checkpoint } = write(root);
  const { open } = storeIn(root).restore(loopId, checkpoint, nothingMore);
  open.append(factsOf(30));
  open.close();
  writeFileSync(checkpoint, 'garbage');
  expect(readdirSync(folder)).not.toContain('state.json');
  expect(numbersOf(storeIn(root).read(loopId).entries)).toEqual([1, 2, 30]);
});

test('a restore that is refused by its caller changes nothing', () => {
  const root = temporaryFolder();
  const { folder, checkpoint } = write(root);
  const before = readdirSync(folder, { recursive: true }).sort();
  const refuse = () => {
    throw new Error('not allowed');
  };
  expect(() => storeIn(root).restore(loopId, checkpoint, refuse)).toThrow('not allowed');
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
});

test('A117: a restore over a live owner, from another loop or from a superseded state is refused', () => {
  const root = temporaryFolder();
  const { checkpoint, folder } = write(root);
  const latest = path.join(folder, 'backups', 'state_20261116_100000.json');
  {
    using owner = storeIn(root).open(loopId);
    owner.backUp({ compress: false, maxBackups: 3 });
    expect(() => storeIn(root).restore(loopId, checkpoint, nothingMore)).toThrow(code('LOOP_LOCKED'));
  }
  using other = storeIn(root).create('ralph-other-00000001');
  other.append(factsOf(1));
  other.close();
  const attempt = (id: string, file: string) => () => storeIn(root).restore(id, file, nothingMore);
  expect(attempt('ralph-other-00000001', checkpoint)).toThrow(/belongs to loop/);
  attempt(loopId, checkpoint)().open.close();
  expect(attempt(loopId, latest)).toThrow(/continued without/);
});

test('R22: a restore that dies at any call leaves the old state or the restored one, and loses no fact', () => {
  for (let dying = 1; dying < 200; dying += 1) {
    const disk = createMemoryFiles();
    const { checkpoint } = write('/', disk);
    let left = dying;
    const files = watchFiles(disk, () => {
      left -= 1;
      if (left <= 0) throw systemError('EIO');
    });
    const isOver = restores(files, checkpoint);
    expectSound(disk, `kill at ${dying}`);
    for (const choose of [() => 0, (most: number) => most, (most: number) => (dying * 7919) % (most + 1)]) {
      expectSound(disk.afterPowerCut(choose), `power cut at ${dying}`);
    }
    if (isOver) {
      expect(dying).toBeGreaterThan(30);
      return;
    }
  }
  expect.unreachable('the sweep never got past the last call');
});

function restores(files: FilePort, checkpoint: string): boolean {
  try {
    const { open } = storeIn('/', { files, lock: createMemoryLock() }).restore(loopId, checkpoint, nothingMore);
    open.writeSnapshot(documentOf(2));
    open.close();
    return true;
  } catch {
    return false;
  }
}

function expectSound(disk: MemoryFiles, when: string): void {
  using loop = storeIn('/', { files: disk, lock: createMemoryLock() }).open(loopId);
  const { snapshot, entries } = loop.recovered;
  const last = numbersOf(entries).at(-1) ?? snapshot?.['iteration'];
  expect([2, 4], when).toContain(last);
  const texts = contentOf(disk, loop.folder);
  for (const number of [1, 2, 3, 4]) expect(texts, `${when}, fact ${number}`).toContain(`"number":${number}}`);
}

function contentOf(disk: MemoryFiles, folder: string): string {
  return disk
    .list(folder)
    .map((name) => {
      const place = path.join(folder, name);
      if (disk.look(place)?.kind === 'folder') return contentOf(disk, place);
      const file = disk.openToRead(place);
      const into = Buffer.alloc(disk.lookAt(file).size);
      disk.read(file, into, 0);
      disk.close(file);
      return into.toString('utf8');
    })
    .join('\n');
}
