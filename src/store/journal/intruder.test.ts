import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FilePort, nodeFiles } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { code } from '../testing/failing.ts';
import { factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

/** A disk on which another program writes to the journal right before or after a write of ours. */
function diskWithIntruder() {
  const root = temporaryFolder();
  const segment = path.join(root, '.ralph/loops', loopId, 'journal/0001-0001.jsonl');
  let isDue = false;
  let intrude = { before: () => {}, after: () => {} };
  const files: FilePort = {
    ...nodeFiles,
    write(file, bytes) {
      const { before, after } = isDue ? intrude : { before: () => {}, after: () => {} };
      isDue = false;
      before();
      const taken = nodeFiles.write(file, bytes);
      after();
      return taken;
    },
  };
  const loop = storeIn(root, { files }).create(loopId);
  loop.append(factsOf(1));
  const next = (how: Partial<typeof intrude>) => {
    intrude = { before: () => {}, after: () => {}, ...how };
    isDue = true;
  };
  return { root, segment, loop, next, journal: path.dirname(segment) };
}

test('R22: facts written while another program appends to the journal are all there', () => {
  const { root, segment, loop, next, journal } = diskWithIntruder();
  using _loop = loop;
  next({ before: () => appendFileSync(segment, '{"type":"loop.ended"}\n') });
  loop.append(factsOf(2, 3));
  loop.append(factsOf(4));
  expect(numbersOf(storeIn(root).read(loopId).entries)).toEqual([1, 2, 3, 4]);
  expect(readdirSync(journal)).toEqual(['0001-0001.jsonl', '0001-0002.jsonl']);
});

test('R22: facts followed at once by bytes of another program stay where they are', () => {
  const { root, segment, loop, next, journal } = diskWithIntruder();
  using _loop = loop;
  next({ after: () => appendFileSync(segment, 'x') });
  loop.append(factsOf(2));
  expect(readdirSync(journal)).toEqual(['0001-0001.jsonl']);
  loop.append(factsOf(3));
  expect(numbersOf(storeIn(root).read(loopId).entries)).toEqual([1, 2, 3]);
});

test('R22: a new segment that another program writes to first is not used', () => {
  const { root, journal, segment, loop, next } = diskWithIntruder();
  appendFileSync(segment, 'makes the loop start a new segment');
  next({ before: () => appendFileSync(path.join(journal, '0001-0002.jsonl'), 'x') });
  expect(() => loop.append(factsOf(2))).toThrow(code('STATE_WRITE_FAILED'));
  loop.append(factsOf(3));
  loop.close();
  expect(numbersOf(storeIn(root).read(loopId).entries)).toEqual([1, 3]);
});
