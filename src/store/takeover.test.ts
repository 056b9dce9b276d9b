import { expect, test } from 'vitest';
import { systemError, watchFiles } from '../files/testing/faulty-files.ts';
import { createMemoryFiles, type MemoryFiles } from '../files/testing/memory-files.ts';
import { segmentPath } from './journal/head.ts';
import { journalFolder } from './recover.ts';
import { writeSnapshot } from './snapshot.ts';
import { code } from './testing/failing.ts';
import { createMemoryLock } from './testing/memory-lock.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from './testing/stores.ts';

const folder = `/.ralph/loops/${loopId}`;

function machine() {
  const files = createMemoryFiles();
  const lock = createMemoryLock();
  return { files, lock, store: storeIn('/', { files, lock }) };
}

/** Replaces the lock file, as a clean-up by the agent would, so that the next process gets the loop. */
function replaceLock(files: MemoryFiles, lock: { freeAll(): void }): void {
  files.remove(`${folder}/lock`);
  files.close(files.create(`${folder}/lock`));
  lock.freeAll();
}

function appendTo(files: MemoryFiles, segment: string, text: string): void {
  const place = segmentPath({ files, folder: journalFolder(folder), loopId }, segment);
  const file = files.openToRead(place);
  const bytes = Buffer.alloc(files.lookAt(file).size);
  files.read(file, bytes, 0);
  files.overwrite(place, Buffer.concat([bytes, Buffer.from(text)]));
}

test('what a stale owner writes after a takeover has no effect and is reported', () => {
  const { files, lock, store } = machine();
  const stale = store.create(loopId);
  stale.append(factsOf(1));
  replaceLock(files, lock);
  const owner = store.open(loopId);
  owner.append(factsOf(2));

  expect(() => stale.append(factsOf(99))).toThrow(/no longer owns/);
  expect(() => stale.writeSnapshot(documentOf(99))).toThrow(/no longer owns/);
  appendTo(files, '0001-0001', '{"late":"bytes"}\n');
  owner.append(factsOf(3));

  const { entries, problems } = store.read(loopId);
  expect(numbersOf(entries)).toEqual([1, 2, 3]);
  expect(problems).toEqual([
    {
      kind: 'ignored_bytes',
      file: `${folder}/journal/0001-0001.jsonl`,
      message: `17 bytes after the accepted end of ${folder}/journal/0001-0001.jsonl (byte 368) are ignored: no owner acknowledged them.`,
    },
  ]);
});

test('a segment that a stale owner opens after a takeover is no part of the history', () => {
  const { files, lock, store } = machine();
  const stale = store.create(loopId);
  stale.append(factsOf(1));
  const before = files.afterPowerCut((most) => most);
  replaceLock(files, lock);
  store.open(loopId).append(factsOf(2));

  // The stale owner's view, in which it still rotates: copy that segment over as a frozen process would write it.
  const elsewhere = storeIn('/', { files: before, lock: createMemoryLock() }).open(loopId);
  elsewhere.append(factsOf(99));
  const place = segmentPath({ files, folder: journalFolder(folder), loopId }, '0002-0001');
  const from = before.openToRead(place);
  const bytes = Buffer.alloc(before.lookAt(from).size);
  before.read(from, bytes, 0);
  const late = segmentPath({ files, folder: journalFolder(folder), loopId }, '0001-0002');
  files.close(files.create(late));
  files.overwrite(late, bytes);

  const { entries, problems } = store.read(loopId);
  expect(numbersOf(entries)).toEqual([1, 2]);
  expect(problems).toMatchObject([{ kind: 'stale_segment', file: late }]);
});

test('an owner that loses the loop while its write is on the way does not acknowledge it', () => {
  const files = createMemoryFiles();
  const lock = createMemoryLock();
  const watched = watchFiles(files, ({ name }) => {
    if (name === 'syncData' && armed) {
      armed = false;
      replaceLock(files, lock);
    }
  });
  let armed = false;
  const owner = storeIn('/', { files: watched, lock }).create(loopId);
  armed = true;
  expect(() => owner.append(factsOf(1))).toThrow(/no longer owns/);
});

test('a snapshot of a stale owner is set aside and the state is rebuilt from the journal', () => {
  const { files, lock, store } = machine();
  const stale = store.create(loopId);
  stale.append(factsOf(1));
  replaceLock(files, lock);
  const owner = store.open(loopId);
  owner.append(factsOf(2));
  owner.close();
  writeSnapshot(
    { files, folder, loopId },
    {
      document: documentOf(99),
      position: { segment: '0001-0001', bytes: 500, seq: 3, crc: 7 },
      compress: false,
    },
  );

  using next = store.open(loopId);
  expect(next.recovered.snapshot).toBeUndefined();
  expect(numbersOf(next.recovered.entries)).toEqual([1, 2]);
  expect(next.recovered.problems).toMatchObject([{ kind: 'snapshot_stale' }]);
  expect(files.list(folder).filter((name) => name.startsWith('state.json'))).toEqual([
    expect.stringMatching(/^state\.json\.broken-20261116T100000Z-/),
  ]);
});

test('a failed write or sync is never tried again: the journal continues in a new segment and reports it', () => {
  for (const call of ['write', 'syncData']) {
    const files = createMemoryFiles();
    let isFailing = false;
    const watched = watchFiles(files, ({ name }) => {
      if (name !== call || !isFailing) return;
      isFailing = false;
      throw systemError('EIO');
    });
    const store = storeIn('/', { files: watched, lock: createMemoryLock() });
    using loop = store.create(loopId);
    loop.append(factsOf(1));
    expect(loop.degraded).toBe(false);
    isFailing = true;
    expect(loop.append(factsOf(2, 3)).map((entry) => entry.seq)).toEqual([4, 5]);
    expect(loop.degraded).toBe(true);
    loop.append(factsOf(4));
    expect(files.list(journalFolder(folder))).toEqual(['0001-0001.jsonl', '0001-0002.jsonl']);
    expect(numbersOf(store.read(loopId).entries)).toEqual([1, 2, 3, 4]);
  }
});

test('a write that cannot be confirmed is refused, and the next one continues after what was acknowledged', () => {
  let failing = '';
  const files = watchFiles(createMemoryFiles(), ({ name, path }) => {
    if (failing === 'write' && name === 'write') {
      failing = 'sync';
      throw systemError('EIO');
    }
    if (failing === 'sync' && name === 'syncData') failing = 'lock';
    if (failing === 'lock' && path === `${folder}/lock`) {
      failing = '';
      throw systemError('EIO');
    }
  });
  const store = storeIn('/', { files, lock: createMemoryLock() });
  using loop = store.create(loopId);
  loop.append(factsOf(1, 2, 3, 4, 5));
  failing = 'write';
  expect(() => loop.append(factsOf(6))).toThrow(/lock cannot be read: EIO/);
  loop.append(factsOf(7));
  expect(numbersOf(store.read(loopId).entries)).toEqual([1, 2, 3, 4, 5, 7]);
});

test('a full disk has its own failure; once space is freed, the loop continues in the same process', () => {
  const files = createMemoryFiles();
  let isFull = false;
  const watched = watchFiles(files, ({ name }) => {
    if (isFull && (name === 'write' || name === 'create')) throw systemError('ENOSPC');
  });
  const store = storeIn('/', { files: watched, lock: createMemoryLock() });
  using loop = store.create(loopId);
  loop.append(factsOf(1));
  isFull = true;
  expect(() => loop.append(factsOf(2))).toThrow(
    expect.objectContaining({
      message: `The disk that holds ${folder}/journal/0001-0003.jsonl is full, or a quota is used up. Everything recorded before is safe.`,
      failure: expect.objectContaining({ code: 'DISK_FULL', exitCode: 5 }),
    }),
  );
  isFull = false;
  loop.append(factsOf(3));
  expect(numbersOf(store.read(loopId).entries)).toEqual([1, 3]);
});

test('on a full disk the last facts still fit, in space reserved for them', () => {
  const files = createMemoryFiles();
  let isFull = false;
  const watched = watchFiles(files, ({ name }) => {
    const isHeldBack = files.look(`${folder}/reserve`) !== undefined;
    if (isFull && isHeldBack && (name === 'write' || name === 'create')) throw systemError('ENOSPC');
  });
  const store = storeIn('/', { files: watched, lock: createMemoryLock() });
  const loop = store.create(loopId);
  loop.append(factsOf(1));
  expect(loop.isDiskFull).toBe(false);
  isFull = true;
  loop.append(factsOf(2));
  expect(loop.isDiskFull).toBe(true);
  expect(numbersOf(store.read(loopId).entries)).toEqual([1, 2]);
  loop.close();
  expect(files.look(`${folder}/reserve`)).toBeUndefined();
});

test('space that was held back is held back again once there is room, so that a second full disk is survived too', () => {
  const files = createMemoryFiles();
  let isFull = false;
  const watched = watchFiles(files, ({ name, path }) => {
    const isHeldBack = files.look(`${folder}/reserve`) !== undefined;
    const needsRoom = name === 'write' || name === 'create';
    if (isFull && needsRoom && (isHeldBack || path === `${folder}/reserve`)) throw systemError('ENOSPC');
  });
  const store = storeIn('/', { files: watched, lock: createMemoryLock() });
  using loop = store.create(loopId);
  for (const number of [1, 3]) {
    isFull = true;
    loop.append(factsOf(number));
    expect(loop.isDiskFull).toBe(true);
    expect(files.look(`${folder}/reserve`)).toBeUndefined();
    isFull = false;
    loop.append(factsOf(number + 1));
    expect(loop.isDiskFull).toBe(false);
    expect(files.look(`${folder}/reserve`)).toBeDefined();
  }
  expect(numbersOf(store.read(loopId).entries)).toEqual([1, 2, 3, 4]);
});

test('a journal that another program removes, shortens or adds to is noticed before the next append', () => {
  const { files, store } = machine();
  using loop = store.create(loopId);
  loop.append(factsOf(1));
  appendTo(files, '0001-0001', 'graffiti');
  loop.append(factsOf(2));
  expect(numbersOf(store.read(loopId).entries)).toEqual([1, 2]);
  files.overwrite(`${folder}/journal/0001-0002.jsonl`, Buffer.from('short'));
  expect(() => loop.append(factsOf(3))).toThrow(/0001-0002.jsonl was shortened by another program/);
  expect(() => loop.append(factsOf(3))).toThrow(code('STATE_TAMPERED'));
  files.remove(`${folder}/journal/0001-0002.jsonl`);
  expect(() => loop.append(factsOf(3))).toThrow(/was removed or replaced by another program/);
});
