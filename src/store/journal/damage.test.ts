import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';
import { formatCrc } from './line.ts';

function loopOfThreeOwners() {
  const root = temporaryFolder();
  const first = storeIn(root).create(loopId);
  first.append(factsOf(1, 2));
  first.close();
  for (const number of [3, 4]) {
    const next = storeIn(root).open(loopId);
    next.append(factsOf(number));
    next.close();
  }
  return { root, journal: path.join(first.folder, 'journal') };
}

function damage(file: string, text: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(text, text.toUpperCase()));
}

test('A132: after damage in the middle the facts before it are kept, and the bytes stay as *.broken', () => {
  const { root, journal } = loopOfThreeOwners();
  damage(path.join(journal, '0001-0001.jsonl'), '"number":2');
  using loop = storeIn(root).open(loopId);
  expect(numbersOf(loop.recovered.entries)).toEqual([1]);
  expect(loop.recovered.problems).toMatchObject([{ kind: 'corruption', file: path.join(journal, '0001-0001.jsonl') }]);
  expect(readdirSync(journal)).toEqual([
    '0001-0001.jsonl',
    '0001-0001.jsonl.368.broken',
    '0002-0001.jsonl.broken',
    '0003-0001.jsonl.broken',
    '0004-0001.jsonl',
  ]);
  expect(readFileSync(path.join(journal, '0001-0001.jsonl.368.broken'), 'utf8')).toContain('"NUMBER":2');
});

test('A132: a newest segment whose first line is damaged is kept as *.broken and reported', () => {
  const { root, journal } = loopOfThreeOwners();
  damage(path.join(journal, '0003-0001.jsonl'), 'segment.opened');
  const { entries, problems } = storeIn(root).read(loopId);
  expect(numbersOf(entries)).toEqual([1, 2, 3]);
  expect(problems).toMatchObject([{ kind: 'corruption', file: path.join(journal, '0003-0001.jsonl') }]);
  storeIn(root).open(loopId).close();
  expect(readdirSync(journal)).toContain('0003-0001.jsonl.broken');
});

test('a journal of a later format is refused and left unchanged', () => {
  const { root, journal } = loopOfThreeOwners();
  const file = path.join(journal, '0003-0001.jsonl');
  const [head = ''] = readFileSync(file, 'utf8').split('\n');
  const body = head.slice(0, -18).replace('"v":1', '"v":2');
  const seed = Number.parseInt(/"crc":"([0-9a-f]{8})"\}\}/.exec(head)?.[1] ?? '', 16);
  writeFileSync(file, `${body},"crc":"${formatCrc(crc32(body, seed))}"}\n`);
  const before = readdirSync(journal);
  expect(() => storeIn(root).open(loopId)).toThrow(
    /written by a newer version of ralphd: this version reads format 1, the file has 2/,
  );
  expect(readdirSync(journal)).toEqual(before);
});
