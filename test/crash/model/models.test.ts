import { expect, test } from 'vitest';
import type { FilePort } from '../../../src/files/index.ts';
import { createRandom } from '../../simulation/random.ts';
import { createTape } from '../disk/trace.ts';
import { visitStates } from './enumerate.ts';
import { choicesOf, type ModelName } from './models.ts';
import { Replay } from './replay.ts';

/** Every content that the file may have if a crash follows the steps; undefined means no file. */
function contentsAfter(
  model: ModelName,
  place: string,
  steps: (files: FilePort, lose: (file: number) => void) => void,
) {
  const tape = createTape();
  steps(tape.files, (file) => tape.recorder.syncFailed(file));
  const replay = new Replay(tape.trace.base);
  for (const operation of tape.trace.operations) replay.apply(operation);
  const random = createRandom(1);
  const found = new Set<string | undefined>();
  const choices = choicesOf(model, replay, { random, stale: Buffer.from('old') });
  visitStates(choices, { cap: 5000, random }, ({ image }) => found.add(image().get(place)?.toString()));
  return found;
}

function write(files: FilePort, place: string, text: string): number {
  const file = files.create(place);
  files.write(file, Buffer.from(text));
  return file;
}

test('on an ordered disk only the last write can be cut off', () => {
  const found = contentsAfter('ordered', '/a', (files) => {
    files.write(write(files, '/a', 'one'), Buffer.from('two'));
  });
  expect(found).toEqual(new Set(['onetwo', 'onetw', 'onet']));
});

test('on an ext4-like disk a file that was renamed unsynced can be empty, and never is when it was synced', () => {
  const replace = (isSynced: boolean) => (files: FilePort) => {
    files.sync(write(files, '/a', 'old'));
    files.syncFolder('/');
    const file = write(files, '/b', 'new');
    if (isSynced) files.sync(file);
    files.rename('/b', '/a');
  };
  expect(contentsAfter('ext4-like', '/a', replace(false))).toEqual(new Set(['old', '', 'new']));
  expect(contentsAfter('ext4-like', '/a', replace(true))).toEqual(new Set(['old', 'new']));
});

test('on a weak disk a new name is certain only after a sync of its folder', () => {
  const create = (isSynced: boolean) => (files: FilePort) => {
    files.syncData(write(files, '/a', 'text'));
    if (isSynced) files.syncFolder('/');
  };
  expect(contentsAfter('weak', '/a', create(false))).toEqual(new Set(['text', undefined]));
  expect(contentsAfter('weak', '/a', create(true))).toEqual(new Set(['text']));
});

test('on a weak disk unsynced bytes can be missing, zeros or old content', () => {
  const found = contentsAfter('weak', '/a', (files) => {
    files.syncFolder('/');
    const file = write(files, '/a', 'one');
    files.syncData(file);
    files.syncFolder('/');
    files.write(file, Buffer.from('two'));
  });
  expect([...found]).toEqual(expect.arrayContaining(['one', 'onetwo', 'one\0\0\0', 'oneold']));
  expect([...found].every((text) => text?.startsWith('one'))).toBe(true);
});

test('bytes of a failed sync stay in doubt, whatever the next sync says', () => {
  for (const model of ['ext4-like', 'weak'] as const) {
    const found = contentsAfter(model, '/a', (files, lose) => {
      const file = write(files, '/a', 'one');
      lose(file);
      files.write(file, Buffer.from('two'));
      files.syncData(file);
      files.syncFolder('/');
    });
    expect([...found]).toEqual(expect.arrayContaining(['onetwo', '\0\0\0two']));
  }
});
