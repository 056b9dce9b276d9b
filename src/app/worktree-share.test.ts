import { expect, test } from 'vitest';
import { toStateDocument } from '../formats/index.ts';
import type { Fact } from '../protocol/index.ts';
import { readLoop } from './read-loops.ts';
import { rememberRoot } from './roots.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { createPlace, startedFact } from './testing/left-loop.ts';
import { admitLoop } from './worktree-share.ts';

const loopId = 'ralph-theirs-a1b2c3d4';

/** A loop at work whose state is in a place; its snapshot, if it has one, does not have the latest facts. */
function workAt(place: LoopPlace, { startedIn = place, isSaved = true, latest = [] as readonly Fact[] } = {}) {
  const store = openStore(place);
  const open = store.create(loopId);
  open.append([startedFact(startedIn, loopId)]);
  if (isSaved) open.writeSnapshot(toStateDocument(readLoop(store, loopId).loop));
  open.append([{ type: 'loop.recovered', data: { problems: [] } }, ...latest]);
  return open;
}

/** What a new loop in a project is told of the loops whose state is elsewhere. */
async function admitted(project: LoopPlace, theirs: LoopPlace): Promise<unknown> {
  const env = { HOME: createPlace().workingDirectory };
  rememberRoot(theirs, env);
  const { workingDirectory } = project;
  const admission = { force: false, exclusive: false, workingDirectory, env };
  return await admitLoop(project, admission).catch((error: unknown) => error);
}

const inUse = { code: 'WORK_TREE_IN_USE', message: expect.stringContaining(loopId) as string };

test.for([true, false])(
  'a loop whose state is elsewhere counts in the work tree it works in, however old its view (saved: %s)',
  async (isSaved) => {
    const [project, other, elsewhere] = [createPlace(), createPlace(), createPlace()];
    using _open = workAt(elsewhere, { startedIn: project, isSaved });
    expect(await admitted(project, elsewhere)).toMatchObject(inUse);
    expect(await admitted(other, elsewhere)).toEqual([]);
  },
);

test('a restored loop counts where it works now, even if its last view still has the folder of another machine', async () => {
  const [project, before] = [createPlace(), createPlace()];
  const theirs = { ...project, root: createPlace().root };
  const { workingDirectory } = project;
  const restored: Fact = { type: 'loop.restored', data: { from: 'backup.age', backup: '000001', workingDirectory } };
  using _open = workAt(theirs, { startedIn: before, latest: [restored] });
  expect(await admitted(project, theirs)).toMatchObject(inUse);
});
