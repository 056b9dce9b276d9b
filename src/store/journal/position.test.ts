import { expect, test } from 'vitest';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';
import { positionAfter } from './position.ts';
import { readJournal } from './read.ts';

test('A158: the place after any fact of the latest append is known, and only the facts behind it are read from there', () => {
  const root = temporaryFolder();
  using loop = storeIn(root).create(loopId);
  loop.append(factsOf(1));
  const before = loop.position;
  const recorded = loop.append(factsOf(2, 3, 4));
  const journal = { files: loop.place.files, folder: `${loop.folder}/journal`, loopId };
  for (const [index, { seq }] of recorded.entries()) {
    const position = positionAfter(loop, seq);
    if (position === undefined) throw new Error('it is not known');
    const reading = readJournal(journal, position);
    expect(reading === 'off_chain' ? reading : numbersOf(reading.entries)).toEqual([2, 3, 4].slice(index + 1));
  }
  expect(positionAfter(loop, before?.seq ?? 0)).toBeUndefined();
  expect(positionAfter({ position: undefined, latest: undefined }, 1)).toBeUndefined();
});
