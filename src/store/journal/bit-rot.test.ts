import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../../base/index.ts';
import { createMemoryFiles, type MemoryFiles } from '../../files/testing/memory-files.ts';
import { createMemoryLock } from '../testing/memory-lock.ts';
import { factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

const journal = `/.ralph/loops/${loopId}/journal`;
const keepAll = (most: number) => most;
const whole = [1, 2, 3, 4, 5];

/** Two segments of two owners, five facts. */
function builtJournal(): MemoryFiles {
  const files = createMemoryFiles();
  const lock = createMemoryLock();
  const first = storeIn('/', { files, lock }).create(loopId);
  first.append(factsOf(1));
  first.append(factsOf(2, 3));
  first.close();
  const second = storeIn('/', { files, lock }).open(loopId);
  second.append(factsOf(4));
  second.append(factsOf(5));
  second.close();
  return files;
}

function contentOf(files: MemoryFiles, segment: string): Buffer {
  const file = files.openToRead(path.join(journal, segment));
  const bytes = Buffer.alloc(files.lookAt(file).size);
  files.read(file, bytes, 0);
  files.close(file);
  return bytes;
}

/**
 * What recovery makes of a copy of the disk with one segment changed; opening it, twice, must give the same, which takes much
 * longer than reading it.
 */
function recoveredWith(files: MemoryFiles, change: { segment: string; bytes: Uint8Array }, isOpenedToo = true) {
  const copy = files.afterPowerCut(keepAll);
  copy.overwrite(path.join(journal, change.segment), change.bytes);
  const options = { files: copy, lock: createMemoryLock() };
  try {
    const seen = storeIn('/', options).read(loopId);
    const found = { numbers: numbersOf(seen.entries), kinds: seen.problems.map((problem) => problem.kind) };
    if (!isOpenedToo) return found;
    using once = storeIn('/', options).open(loopId);
    expect(once.recovered).toEqual({ entries: seen.entries, problems: seen.problems });
    once.close();
    using twice = storeIn('/', options).open(loopId);
    expect(twice.recovered.entries).toEqual(seen.entries);
    return found;
  } catch (error) {
    if (error instanceof LoopError) return { numbers: [], kinds: [error.failure.code] };
    throw error;
  }
}

function expectCaught(found: { numbers: unknown[]; kinds: string[] }, what: string): void {
  expect(found.numbers, what).toEqual(whole.slice(0, found.numbers.length));
  expect(found.numbers.length, what).toBeLessThan(whole.length);
  expect(found.kinds, what).not.toEqual([]);
}

test('A132: every flipped bit of a journal is noticed, and never gives a fact that was not recorded', () => {
  const files = builtJournal();
  let flips = 0;
  for (const segment of ['0001-0001.jsonl', '0002-0001.jsonl']) {
    const bytes = contentOf(files, segment);
    for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expectCaught(recoveredWith(files, { segment, bytes: flipped }, bit % 61 === 0), `bit ${bit} of ${segment}`);
      flips += 1;
    }
  }
  expect(flips).toBeGreaterThan(8000);
});

test('A132: every truncation of a journal gives a beginning of what was recorded', () => {
  const files = builtJournal();
  for (const segment of ['0001-0001.jsonl', '0002-0001.jsonl']) {
    const bytes = contentOf(files, segment);
    for (let length = 0; length < bytes.byteLength; length += 1) {
      const found = recoveredWith(files, { segment, bytes: bytes.subarray(0, length) }, length % 8 === 0);
      expect(found.numbers).toEqual(whole.slice(0, found.numbers.length));
      const isSealed = segment === '0001-0001.jsonl';
      const isAtLineEnd = length === 0 || bytes[length - 1] === 0x0a;
      if (isSealed) expect(found.kinds, `${length} bytes of ${segment}`).not.toEqual([]);
      else if (!isAtLineEnd && found.numbers.length > 3) expect(found.kinds).toEqual(['torn_tail']);
    }
  }
});

test('lines that are cut out, swapped or repeated break the chain', () => {
  const files = builtJournal();
  const lines = contentOf(files, '0001-0001.jsonl')
    .toString()
    .split(/(?<=\n)/);
  const [head = '', one = '', two = '', three = ''] = lines;
  const changed = [
    [head, two, three],
    [head, two, one, three],
    [head, one, one, two, three],
    [one, two, three],
  ];
  for (const list of changed) {
    expectCaught(
      recoveredWith(files, { segment: '0001-0001.jsonl', bytes: Buffer.from(list.join('')) }),
      list.join(''),
    );
  }
});

test('a cut-off last line is a torn tail; damage before a sound line is corruption', () => {
  const files = builtJournal();
  const bytes = contentOf(files, '0002-0001.jsonl');
  expect(recoveredWith(files, { segment: '0002-0001.jsonl', bytes: bytes.subarray(0, -5) })).toEqual({
    numbers: [1, 2, 3, 4],
    kinds: ['torn_tail'],
  });
  const damaged = Buffer.from(bytes);
  damaged[bytes.indexOf('"number":4')] = 0x58;
  expect(recoveredWith(files, { segment: '0002-0001.jsonl', bytes: damaged })).toEqual({
    numbers: [1, 2, 3],
    kinds: ['corruption'],
  });
});
