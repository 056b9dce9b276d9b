import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { nodeFiles } from '../../files/index.ts';
import { watchFiles } from '../../files/testing/faulty-files.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import type { OpenLoop } from '../open-loop.ts';
import { readStored } from '../stored-documents.ts';
import { code } from '../testing/failing.ts';
import { documentOf, factsOf, loopId, storeIn } from '../testing/stores.ts';
import { backUp } from './back-up.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 16, 10, 0, second));

function loopWithState(): OpenLoop {
  const loop = storeIn(temporaryFolder()).create(loopId);
  loop.append(factsOf(1));
  loop.writeSnapshot(documentOf(1));
  return loop;
}

function backups(loop: OpenLoop): string[] {
  return readdirSync(path.join(loop.folder, 'backups')).sort();
}

test('A122, A138: a backup is a copy of state.json under the UTC second it was made in', () => {
  using loop = loopWithState();
  const { file, removed } = backUp(loop.place, { now: at(5), compress: false, maxBackups: 10 });
  expect(path.basename(file)).toBe('state_20261116_100005.json');
  expect(readFileSync(file)).toEqual(readFileSync(path.join(loop.folder, 'state.json')));
  expect(removed).toEqual([]);
});

test('backups of one second never replace each other, compressed or not', () => {
  using loop = loopWithState();
  for (const compress of [false, true, false]) backUp(loop.place, { now: at(5), compress, maxBackups: 10 });
  expect(backups(loop)).toEqual([
    'state_20261116_100005.json',
    'state_20261116_100005_2.json.gz',
    'state_20261116_100005_3.json',
  ]);
});

test('a compressed backup holds the same bytes and verifies', () => {
  using loop = loopWithState();
  const { file } = backUp(loop.place, { now: at(5), compress: true, maxBackups: 10 });
  expect(gunzipSync(readFileSync(file))).toEqual(readFileSync(path.join(loop.folder, 'state.json')));
  expect(readStored(loop.place, file)).toMatchObject({ kind: 'ok', document: documentOf(1) });
});

test('A123, A139: the oldest backups beyond the limit go first, by their names, and nothing else goes', () => {
  using loop = loopWithState();
  for (let second = 0; second < 3; second += 1) {
    backUp(loop.place, { now: at(second), compress: false, maxBackups: 10 });
  }
  writeFileSync(path.join(loop.folder, 'backups', 'mine.json'), 'kept');
  backUp(loop.place, { now: at(3), compress: false, maxBackups: 2 });
  expect(backups(loop)).toEqual(['mine.json', 'state_20261116_100002.json', 'state_20261116_100003.json']);
});

test('the ninth and the tenth backup of a second are distinguished by number, not by spelling', () => {
  using loop = loopWithState();
  for (let count = 0; count < 11; count += 1) backUp(loop.place, { now: at(1), compress: false, maxBackups: 3 });
  expect(backups(loop)).toEqual([
    'state_20261116_100001_10.json',
    'state_20261116_100001_11.json',
    'state_20261116_100001_9.json',
  ]);
});

test('the last good backup stays, however many damaged ones are newer', () => {
  using loop = loopWithState();
  const { file: good } = backUp(loop.place, { now: at(0), compress: false, maxBackups: 10 });
  for (const second of [1, 2, 3]) {
    const { file } = backUp(loop.place, { now: at(second), compress: false, maxBackups: 10 });
    writeFileSync(file, 'damaged');
  }
  const state = path.join(loop.folder, 'state.json');
  const spoilt = watchFiles(nodeFiles, ({ name, path: place }) => {
    // What is written last is damaged before anybody reads it back.
    if (name === 'list' && place?.endsWith('backups')) spoil(path.join(place, 'state_20261116_100004.json'));
  });
  backUp({ ...loop.place, files: spoilt }, { now: at(4), compress: false, maxBackups: 2 });
  expect(backups(loop)).toContain(path.basename(good));
  expect(backups(loop)).not.toContain('state_20261116_100001.json');
  expect(readFileSync(good)).toEqual(readFileSync(state));
});

test('a backup made after the clock was set back stays', () => {
  using loop = loopWithState();
  for (const second of [8, 9]) backUp(loop.place, { now: at(second), compress: false, maxBackups: 2 });
  backUp(loop.place, { now: at(1), compress: false, maxBackups: 2 });
  expect(backups(loop)).toEqual(['state_20261116_100001.json', 'state_20261116_100009.json']);
});

test('A122: without a state, or with one that cannot be trusted, there is nothing to back up', () => {
  using loop = loopWithState();
  const file = path.join(loop.folder, 'state.json');
  const options = { now: at(0), compress: false, maxBackups: 10 };
  writeFileSync(file, readFileSync(file, 'utf8').replace('"iteration": 1', '"iteration": 2'));
  expect(() => backUp(loop.place, options)).toThrow(code('BACKUP_FAILED'));
  rmSync(file);
  expect(() => backUp(loop.place, options)).toThrow(code('NO_STATE_TO_BACKUP'));
  expect(readdirSync(loop.folder)).not.toContain('backups');
});

function spoil(file: string): void {
  if (existsSync(file)) writeFileSync(file, 'damaged');
}
