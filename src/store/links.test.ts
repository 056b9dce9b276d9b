import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { documentOf, factsOf, loopId, storeIn } from './testing/stores.ts';

const places = [
  '.ralph',
  '.ralph/loops',
  `.ralph/loops/${loopId}`,
  `.ralph/loops/${loopId}/journal`,
  `.ralph/loops/${loopId}/journal/0001-0001.jsonl`,
  `.ralph/loops/${loopId}/state.json`,
  `.ralph/loops/${loopId}/lock`,
  `.ralph/loops/${loopId}/owner.json`,
];

test.each(places)('a symbolic link planted at %s is refused and nothing is written through it', (place) => {
  const folder = temporaryFolder();
  const loop = storeIn(folder).create(loopId);
  loop.append(factsOf(1));
  loop.writeSnapshot(documentOf(1));
  loop.close();
  const elsewhere = path.join(temporaryFolder(), 'target');
  const planted = path.join(folder, place);
  if (!existsSync(planted)) writeFileSync(planted, 'something');
  cpSync(planted, elsewhere, { recursive: true });
  renameSync(planted, `${planted}.moved`);
  symlinkSync(elsewhere, planted);
  const before = contentOf(elsewhere);

  expect(codeOf(() => storeIn(folder).open(loopId))).toBe('UNSAFE_PATH');
  expect(contentOf(elsewhere)).toEqual(before);
  expect(lstatSync(planted).isSymbolicLink()).toBe(true);
});

test('an iteration folder is not made through a link', () => {
  const folder = temporaryFolder();
  using loop = storeIn(folder).create(loopId);
  const elsewhere = temporaryFolder();
  symlinkSync(elsewhere, path.join(loop.folder, 'iterations'));
  expect(() => loop.iterationFolder(1, 1)).toThrow(/is a symbolic link/);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('a loop is not created through a link', () => {
  const folder = temporaryFolder();
  const elsewhere = temporaryFolder();
  mkdirSync(path.join(folder, '.ralph'));
  symlinkSync(elsewhere, path.join(folder, '.ralph/loops'));
  expect(codeOf(() => storeIn(folder).create(loopId))).toBe('UNSAFE_PATH');
  expect(readdirSync(elsewhere)).toEqual([]);
});

function contentOf(place: string): unknown {
  if (!existsSync(place) || !lstatSync(place).isDirectory()) return lstatSync(place).mtimeMs;
  return readdirSync(place, { recursive: true }).map((name) => [
    name,
    lstatSync(path.join(place, String(name))).mtimeMs,
  ]);
}

function codeOf(step: () => unknown): string {
  try {
    step();
  } catch (error) {
    if (error instanceof LoopError) return error.failure.code;
    throw error;
  }
  return 'nothing';
}
