import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeFiles } from '../files/index.ts';
import { systemError, watchFiles } from '../files/testing/faulty-files.ts';
import { createMemoryFiles } from '../files/testing/memory-files.ts';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { readSnapshot, sealSnapshot, snapshotBytes } from './snapshot.ts';
import { createMemoryLock } from './testing/memory-lock.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from './testing/stores.ts';

function loopWithSnapshot() {
  const root = temporaryFolder();
  const loop = storeIn(root).create(loopId);
  loop.append(factsOf(1));
  loop.writeSnapshot(documentOf(1));
  loop.append(factsOf(2));
  loop.close();
  return { root, folder: loop.folder, file: path.join(loop.folder, 'state.json') };
}

test('A120, A135: a snapshot is pretty JSON with the place in the journal and a checksum', () => {
  const { file } = loopWithSnapshot();
  expect(readFileSync(file, 'utf8')).toMatchInlineSnapshot(`
    "{
      "version": "2.0.0",
      "loop_id": "ralph-fix-tests-a1b2c3d4",
      "status": "running",
      "iteration": 1,
      "ralphd": {
        "streak": 0,
        "format": 2,
        "journal": {
          "segment": "0001-0001",
          "bytes": 368,
          "seq": 2,
          "crc": "944e1b3c"
        },
        "crc": "af68483d"
      }
    }
    "
  `);
});

test('A115: a compressed snapshot says the same, at a glance too, and each form replaces the other', () => {
  const { root, file } = loopWithSnapshot();
  using loop = storeIn(root).open(loopId);
  for (const [number, compress] of [true, false, true].entries()) {
    loop.writeSnapshot({ ...documentOf(number), ralphd: { view: { number } } }, { compress });
    expect(readFileSync(file).subarray(0, 2).equals(Buffer.of(0x1f, 0x8b))).toBe(compress);
    expect(storeIn(root).read(loopId)).toMatchObject({ snapshot: { ralphd: { view: { number } } }, problems: [] });
    expect(storeIn(root).loops()[0]?.glance()).toMatchObject({ snapshot: { ralphd: { view: { number } } } });
  }
  const { file: backup } = loop.backUp({ compress: false, maxBackups: 1 });
  expect(JSON.parse(readFileSync(backup, 'utf8'))).toMatchObject({ loop_id: loopId });
});

test('A132: every flipped bit and every truncation of a snapshot is noticed or harmless', () => {
  const { folder, file } = loopWithSnapshot();
  const good = readSnapshot(nodeFiles, folder, loopId);
  const bytes = readFileSync(file);
  const readBack = () => {
    try {
      return readSnapshot(nodeFiles, folder, loopId);
    } catch (error) {
      return error;
    }
  };
  for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(file, flipped);
    expect(readBack(), `bit ${bit}`).not.toMatchObject({ kind: 'ok' });
  }
  for (let length = 0; length < bytes.byteLength - 1; length += 1) {
    writeFileSync(file, bytes.subarray(0, length));
    expect(readBack(), `${length} bytes`).toMatchObject({ kind: 'damaged' });
  }
  writeFileSync(file, bytes);
  expect(readBack()).toEqual(good);
});

test('a snapshot rewritten with different white space still counts', () => {
  const { folder, file } = loopWithSnapshot();
  const good = readSnapshot(nodeFiles, folder, loopId);
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
  expect(readSnapshot(nodeFiles, folder, loopId)).toEqual(good);
});

test('A132, R22: a damaged snapshot is left untouched by readers, set aside by the next owner, and rebuilt', () => {
  const { root, folder, file } = loopWithSnapshot();
  truncateSync(file, 100);
  const seen = storeIn(root).read(loopId);
  expect(numbersOf(seen.entries)).toEqual([1, 2]);
  expect(seen.problems).toMatchObject([{ kind: 'snapshot_damaged' }]);
  expect(readFileSync(file)).toHaveLength(100);

  using loop = storeIn(root).open(loopId);
  expect(loop.recovered).toEqual({ entries: seen.entries, problems: seen.problems });
  const kept = readdirSync(folder).filter((name) => name.startsWith('state.json'));
  expect(kept).toEqual([expect.stringMatching(/^state\.json\.broken-/)]);
  expect(readFileSync(path.join(folder, String(kept[0])))).toHaveLength(100);
});

test('A119, A137: a snapshot of a newer format is refused with both versions, and stays unchanged', () => {
  const { root, file } = loopWithSnapshot();
  const newer = [
    ['"version": "2.0.0"', '"version": "3.1.0"', 'reads format 2.x, the file has 3.1.0'],
    ['"format": 2', '"format": 3', 'reads format 2, the file has 3'],
  ] as const;
  const text = readFileSync(file, 'utf8');
  for (const [ours, theirs, message] of newer) {
    const changed = text.replace(ours, theirs);
    writeFileSync(file, changed);
    for (const attempt of ['read', 'open'] as const) {
      expect(() => storeIn(root)[attempt](loopId)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(message),
          failure: expect.objectContaining({ code: 'STATE_NEWER_VERSION' }),
        }),
      );
    }
    expect(readFileSync(file, 'utf8')).toBe(changed);
  }
});

test('A117: the document of another loop is not adopted', () => {
  const { root, file } = loopWithSnapshot();
  const other = storeIn(root).create('ralph-other-00000001');
  other.writeSnapshot({ ...documentOf(5), loop_id: 'ralph-other-00000001' });
  other.close();
  writeFileSync(file, readFileSync(path.join(other.folder, 'state.json')));
  const { entries, problems } = storeIn(root).read(loopId);
  expect(numbersOf(entries)).toEqual([1, 2]);
  expect(problems[0]?.message).toContain('it belongs to loop ralph-other-00000001');
});

test('a good snapshot carries a loop whose journal is gone; with both gone the loop is refused and left unchanged', () => {
  const { root, folder, file } = loopWithSnapshot();
  rmSync(path.join(folder, 'journal'), { recursive: true });
  expect(storeIn(root).list()).toEqual([loopId]);
  const loop = storeIn(root).open(loopId);
  expect(loop.recovered).toMatchObject({
    snapshot: { iteration: 1 },
    entries: [],
    problems: [{ kind: 'journal_behind' }],
  });
  loop.append(factsOf(3));
  loop.close();
  expect(numbersOf(storeIn(root).read(loopId).entries)).toEqual([3]);

  truncateSync(file, 10);
  const before = readdirSync(folder, { recursive: true });
  expect(() => storeIn(root).open(loopId)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'STATE_UNRECOVERABLE', exitCode: 5 }) }),
  );
  expect(readdirSync(folder, { recursive: true })).toEqual(before);
});

test('a journal that lost what the snapshot was made from is noticed, and the snapshot is used', () => {
  for (const damage of ['shortened', 'overwritten']) {
    const { root, folder } = loopWithSnapshot();
    const segment = path.join(folder, 'journal/0001-0001.jsonl');
    const bytes = readFileSync(segment);
    writeFileSync(segment, damage === 'shortened' ? bytes.subarray(0, 250) : bytes.fill('x', 280, 368));
    const { snapshot, entries, problems } = storeIn(root).read(loopId);
    expect(snapshot?.iteration).toBe(1);
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'journal_behind' }]);
  }
});

test('A136: whichever call to the disk fails or is the last before a power cut, the old or the new snapshot is complete', () => {
  const isDone = { all: false };
  for (let failing = 1; !isDone.all; failing += 1) {
    for (const kept of [0, 1]) {
      const disk = createMemoryFiles();
      let armed = Number.POSITIVE_INFINITY;
      let calls = 0;
      const files = watchFiles(disk, ({ index }) => {
        calls = index;
        if (index >= armed) throw systemError('EIO');
      });
      const loop = storeIn('/', { files, lock: createMemoryLock() }).create(loopId);
      loop.writeSnapshot(documentOf(1));
      armed = calls + failing;
      isDone.all = succeeds(() => loop.writeSnapshot(documentOf(2)));
      const after = disk.afterPowerCut((most) => most * kept);
      const { snapshot, problems } = storeIn('/', { files: after }).read(loopId);
      expect(isDone.all ? [2] : [1, 2], `call ${failing}`).toContain(snapshot?.iteration);
      expect(problems).toEqual([]);
    }
  }
});

function succeeds(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}

test('A120: the bytes of a snapshot are those of the sealed document, whatever it contains', () => {
  const place = { files: nodeFiles, folder: temporaryFolder(), loopId };
  const position = { segment: '0001-0001', bytes: 332, seq: 2, crc: 7 };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
      const document = { ...documentOf(1), ralphd: { ...extra, streak: 0 } };
      const sealed = JSON.stringify(sealSnapshot(place, document, position), undefined, 2);
      expect(snapshotBytes(place, document, position).toString('utf8')).toBe(`${sealed}\n`);
    }),
  );
});
