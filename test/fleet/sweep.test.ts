import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sweepFleet } from '../../src/app/fleet/sweep.ts';
import { openWorkerPlace } from '../../src/app/fleet/worker-place.ts';
import { openStore } from '../../src/app/stores.ts';
import { leaveLoop } from '../../src/app/testing/left-loop.ts';
import { openTravel } from '../../src/workspace/index.ts';
import { sharedRepository } from '../../src/workspace/testing/shared-repository.ts';
import { env } from '../../src/workspace/testing/tree.ts';
import { useEmptyFleet } from '../support/postgres/fleet.ts';
import { describeWithPostgres } from '../support/postgres/shared.ts';

const ids = ['ralph-gone-00000001', 'ralph-open-00000002', 'ralph-unknown-00000003'] as const;

describeWithPostgres('what workers clean up', () => {
  const world = useEmptyFleet();

  test('a loop that ended long ago leaves the database, the disk of each worker and the shared repository; what is open or merely unknown stays', async () => {
    const { repository, root, refs } = await sharedRepository();
    const folders = ['one', 'two'].map((name) => root.at(name));
    const [gone, open, unknown] = ids;
    await world.join('w');
    for (const id of [gone, open]) {
      await world.submit(id, { repository });
      await world.finish('w', id);
    }
    await world.execute(`update ralphd.loops set ended_at = now() - interval '40 days' where id = '${gone}'`);
    for (const folder of folders) {
      using place = openWorkerPlace(folder);
      for (const loopId of ids) {
        const travel = openTravel({ repository, loopId, folder: place.treeOf(loopId), cache: place.cache, env });
        await travel.checkOut();
        await travel.capture({ epoch: 1 });
        leaveLoop({ root: place.root, workingDirectory: place.root }, loopId);
      }
    }
    const left = async () => {
      const captured = Object.keys(await refs()).flatMap((name) => /^refs\/ralphd\/([^/]+)\//.exec(name)?.[1] ?? []);
      return {
        stored: (await world.fleet.status()).ended,
        captured: [...new Set(captured)].toSorted(),
        here: folders.map((folder) =>
          openStore({ root: `${folder}/state` })
            .list()
            .toSorted(),
        ),
        trees: folders.map((folder) => ids.filter((id) => existsSync(`${folder}/work/${id}`))),
      };
    };
    const everything = { stored: 2, captured: [...ids], here: [[...ids], [...ids]], trees: [[...ids], [...ids]] };
    const sweep = async (folder: string, trust = [repository]) => {
      const reports: string[] = [];
      using place = openWorkerPlace(folder);
      const report = (message: string) => reports.push(message);
      await sweepFleet({ fleet: world.fleet, place, env, trust, patience: {}, report });
      return reports;
    };
    // Nothing was set.
    for (const folder of folders) expect(await sweep(folder)).toEqual([]);
    expect(await left()).toEqual(everything);

    await world.fleet.keepFor(30 * 24 * 3_600_000);
    // One that does not trust the repository leaves its captures to another.
    expect(await sweep(folders[0] ?? '', [])).toHaveLength(2);
    expect((await left()).captured).toEqual([...ids]);
    expect(await sweep(folders[1] ?? '')).toHaveLength(1);
    const rest = [open, unknown];
    expect(await left()).toEqual({ stored: 1, captured: rest, here: [rest, rest], trees: [rest, rest] });
    expect(await sweep(folders[0] ?? '')).toEqual([]);
  });
});
