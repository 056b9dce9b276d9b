import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { idOrLost, lostLoops } from './lost-loops.ts';
import { findLoopId } from './read-loops.ts';
import { openGuardedStore } from './stores.ts';
import { createPlace, startedFact } from './testing/left-loop.ts';

const uuid = 'a1b2c3d4-5555-4666-8777-888899990000';

/** Loops whose folders were deleted while nobody drove them. */
function loseLoops(...loopIds: readonly string[]) {
  const place = createPlace();
  const env = { XDG_STATE_HOME: path.join(place.workingDirectory, 'state') };
  const folders = openGuardedStore(place, env);
  for (const loopId of loopIds) {
    using open = folders.create(loopId);
    open.append([startedFact(place, loopId, { uuid: loopId.slice(-8) + uuid.slice(8) })]);
  }
  rmSync(place.root, { recursive: true });
  const resolve = async (query?: string) =>
    await idOrLost(() => findLoopId(place, query), { place, env, ...(query === undefined ? {} : { query }) });
  return { place, env, folders, resolve };
}

test.each([
  ['its id', 'ralph-nightly-a1b2c3d4'],
  ['its name', 'nightly'],
  ['its name with the prefix', 'ralph-nightly'],
  ['the beginning of its name', 'nigh'],
  ['the end of its id', 'a1b2c3d4'],
  ['its UUID', uuid],
  ['the beginning of its UUID', uuid.slice(0, 15)],
  ['its UUID in another form', `loop_${uuid}`],
  ['nothing, because it is the only one', undefined],
])('a loop whose folder was deleted is found by %s', async (_what, query) => {
  const { resolve } = loseLoops('ralph-nightly-a1b2c3d4');
  expect(await resolve(query)).toBe('ralph-nightly-a1b2c3d4');
});

test('a text that names no lost loop, or several, is refused as it is for loops that exist', async () => {
  const { resolve } = loseLoops('ralph-nightly-a1b2c3d4', 'ralph-night-b1b2c3d4');
  await expect(resolve('other')).rejects.toMatchObject({ failure: { code: 'LOOP_NOT_FOUND' } });
  await expect(resolve('nig')).rejects.toMatchObject({ failure: { code: 'LOOP_AMBIGUOUS' } });
  await expect(resolve()).rejects.toMatchObject({ failure: { code: 'LOOP_NOT_GIVEN' } });
  expect(await resolve('night')).toBe('ralph-night-b1b2c3d4');
});

test('a loop that exists comes before a lost one, and is not lost itself', async () => {
  const { place, env, folders, resolve } = loseLoops('ralph-nightly-a1b2c3d4');
  {
    using open = folders.create('ralph-nightly-c1b2c3d4');
    open.append([startedFact(place, 'ralph-nightly-c1b2c3d4')]);
  }
  expect(await resolve('nightly')).toBe('ralph-nightly-c1b2c3d4');
  expect(await resolve('ralph-nightly-a1b2c3d4')).toBe('ralph-nightly-a1b2c3d4');
  expect(lostLoops(place, env)).toEqual(['ralph-nightly-a1b2c3d4']);
});
