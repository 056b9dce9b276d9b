import { expect } from 'vitest';
import { LoopError } from '../../../src/base/index.ts';
import type { LoopStore, StoreTrouble } from '../../../src/runner/index.ts';
import { type PortPromise, promise } from './adapter.ts';
import { expectRising, guide, loopId, loopOf, parked, started, textsOf } from './facts.ts';

/** The guarantees of every loop store. */
export const loopStorePromises: readonly PortPromise[] = [
  promise(
    'facts are kept in the order in which they were appended, under rising numbers without a gap in a batch',
    async (place) => {
      const { store } = place.startProcess();
      await using owned = await store.create(loopId);
      const first = await owned.append([started, guide('a'), guide('b')]);
      const second = await owned.append([guide('c')]);
      const all = [...first, ...second];
      expect(textsOf(all)).toEqual(['loop.started', 'a', 'b', 'c']);
      expectRising(all);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => (all[0]?.seq ?? 0) + index));
      expect((await store.read(loopId)).loop).toEqual(loopOf(all));
    },
  ),

  promise('appends that are asked for at once are carried out one after the other', async (place) => {
    const { store } = place.startProcess();
    await using owned = await store.create(loopId);
    const batches = await Promise.all([
      owned.append([started]),
      owned.append([guide('a')]),
      owned.append([guide('b')]),
    ]);
    expect(textsOf(batches.flat())).toEqual(['loop.started', 'a', 'b']);
    expectRising(batches.flat());
  }),

  promise('what was appended is there for the next owner, also when the last one died', async (place) => {
    const dying = place.startProcess();
    const owned = await dying.store.create(loopId);
    const facts = await owned.append([started, guide('a')]);
    dying.kill();
    await using next = await place.startProcess().store.open(loopId);
    expect(next.recovered.loop?.commands.guidance.map(({ id }) => id)).toEqual(['a']);
    const [fact] = await next.append([guide('b')]);
    expect(fact?.seq).toBeGreaterThan(facts.at(-1)?.seq ?? 0);
  }),

  promise('a new loop has nothing to recover, and there is one of each id', async (place) => {
    const { store } = place.startProcess();
    await using owned = await store.create(loopId);
    expect(owned.recovered.loop).toBeUndefined();
    await owned.append([started]);
    await expect(place.startProcess().store.create(loopId)).rejects.toThrow(LoopError);
    await expect(store.open('ralph-unknown-a1b2c3d4')).rejects.toThrow(LoopError);
    await expect(store.read('ralph-unknown-a1b2c3d4')).rejects.toThrow(LoopError);
  }),

  promise('a loop that was parked is free, and says when to go on until somebody does', async (place) => {
    const { store } = place.startProcess();
    const owned = await store.create(loopId);
    const facts = await owned.append([started, parked]);
    await owned.save(loopOf(facts));
    await owned.close();
    const left = await store.read(loopId);
    expect(left).toMatchObject({ loop: { status: 'running', pending: { wakeAt: parked.data.wakeAt } } });
    expect(left.owner).toBeUndefined();

    const next = place.startProcess();
    const taken = await next.store.open(loopId);
    expect(taken.recovered.loop?.pending.wakeAt).toBe(parked.data.wakeAt);
    expect((await store.read(loopId)).owner).toMatchObject({ liveness: 'alive' });
    await taken.append([{ type: 'loop.recovered', data: { problems: [] } }]);
    next.kill();
    expect((await store.read(loopId)).loop.pending).not.toHaveProperty('wakeAt');
  }),

  promise('a snapshot changes nothing about what the loop is, for readers and for the next owner', async (place) => {
    const { store } = place.startProcess();
    const owned = await store.create(loopId);
    const before = await owned.append([started, guide('a')]);
    await owned.save(loopOf(before));
    const after = await owned.append([guide('b')]);
    expect((await store.read(loopId)).loop.commands.guidance).toEqual(loopOf([...before, ...after]).commands.guidance);
    await owned.close();
    await using next = await store.open(loopId);
    expect(next.recovered.loop?.commands.guidance.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(next.recovered.problems).toEqual([]);
  }),

  promise('to read, list and ask for changes writes nothing, however often', async (place) => {
    const { store } = place.startProcess();
    await using owned = await store.create(loopId);
    const [first] = await owned.append([started]);
    const { cursor } = await store.changesSince();
    const reader = place.startProcess().store;
    const looked = [await look(reader), await look(reader), await look(reader)];
    expect(looked[1]).toEqual(looked[0]);
    expect(looked[2]).toEqual(looked[0]);
    expect((await reader.changesSince(cursor)).loopIds).toEqual([]);
    const [second] = await owned.append([guide('a')]);
    expect(second?.seq).toBe((first?.seq ?? 0) + 1);
  }),

  promise('all loops are listed, sorted, and those that changed since a cursor are told apart', async (place) => {
    const { store } = place.startProcess();
    const ids = ['ralph-b-a1b2c3d4', 'ralph-a-a1b2c3d4'];
    expect(await store.list()).toEqual([]);
    const owned = await Promise.all(ids.map(async (id) => await store.create(id)));
    for (const loop of owned) await loop.append([{ ...started }]);
    expect(await store.list()).toEqual(ids.toSorted());
    const all = await store.changesSince();
    expect(all.loopIds.toSorted()).toEqual(ids.toSorted());
    await owned[0]?.append([guide('a')]);
    const some = await place.startProcess().store.changesSince(all.cursor);
    expect(some.loopIds).toEqual([ids[0]]);
    expect((await store.changesSince(some.cursor)).loopIds).toEqual([]);
    for (const loop of owned) await loop.close();
  }),

  promise('a loop has changed when an owner takes it, leaves it or dies', async (place) => {
    const reader = place.startProcess().store;
    let { cursor } = await reader.changesSince();
    const changed = async () => {
      const changes = await reader.changesSince(cursor);
      ({ cursor } = changes);
      return changes.loopIds;
    };
    const first = await place.startProcess().store.create(loopId);
    await first.append([started]);
    expect(await changed()).toEqual([loopId]);
    await first.close();
    expect(await changed()).toEqual([loopId]);
    const dying = place.startProcess();
    await dying.store.open(loopId);
    expect(await changed()).toEqual([loopId]);
    expect(await changed()).toEqual([]);
    dying.kill();
    expect(await changed()).toEqual([loopId]);
    expect(await changed()).toEqual([]);
  }),

  promise('trouble comes, goes and comes again, each time with a word to whoever listens', async (place) => {
    const { store } = place.startProcess();
    await using owned = await store.create(loopId);
    const codes: (StoreTrouble['code'] | 'over')[] = [];
    using _listening = owned.onTrouble((trouble) => codes.push(trouble?.code ?? 'over'));
    await owned.append([started]);
    for (const round of [1, 2]) {
      place.setFull(true);
      // The facts needed for a pause can still be written.
      await owned.append([guide(`full ${round}`)]);
      expect(codes.at(-1)).toBe('DISK_FULL');
      place.setFull(false);
      await owned.append([guide(`free ${round}`)]);
      expect(codes.at(-1)).toBe('over');
    }
    expect(codes).toEqual(['DISK_FULL', 'over', 'DISK_FULL', 'over']);
  }),

  promise('trouble that already lasts is reported at once', async (place) => {
    const { store } = place.startProcess();
    await using owned = await store.create(loopId);
    await owned.append([started]);
    place.setFull(true);
    await owned.append([guide('full')]);
    const codes: (string | undefined)[] = [];
    using _listening = owned.onTrouble((trouble) => codes.push(trouble?.code));
    expect(codes).toEqual(['DISK_FULL']);
  }),
];

async function look(store: LoopStore): Promise<unknown> {
  return { ids: await store.list(), stored: await store.read(loopId), changes: await store.changesSince() };
}
