import { expect } from 'vitest';
import { LoopError } from '../../../src/base/index.ts';
import { type PortPromise, promise } from './adapter.ts';
import { guide, loopId, loopOf, started, textsOf } from './facts.ts';

/** The guarantees of every lease. */
export const leasePromises: readonly PortPromise[] = [
  promise('every owner has a greater epoch than the one before, and its facts say so', async (place) => {
    const epochs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { store } = place.startProcess();
      await using owned = await (round === 0 ? store.create(loopId) : store.open(loopId));
      const [fact] = await owned.append([round === 0 ? started : guide(String(round))]);
      expect(fact?.epoch).toBe(owned.lease.epoch);
      epochs.push(owned.lease.epoch);
    }
    expect(epochs).toEqual([...new Set(epochs)].toSorted((one, other) => one - other));
  }),

  promise('a second owner is refused while the first one lives, and changes nothing', async (place) => {
    const first = place.startProcess();
    await using owned = await first.store.create(loopId);
    await owned.append([started]);
    await expect(place.startProcess().store.open(loopId)).rejects.toMatchObject({
      failure: { code: 'LOOP_LOCKED' },
    });
    expect(owned.lease.lost.aborted).toBe(false);
    expect(textsOf(await owned.append([guide('a')]))).toEqual(['a']);
  }),

  promise('a lease that was lost says so, and lets nothing be appended or saved any more', async (place) => {
    const frozen = place.startProcess();
    const lost = await frozen.store.create(loopId);
    const facts = await lost.append([started]);
    frozen.kill();
    const next = place.startProcess();
    await using owned = await next.store.open(loopId);
    const [taken] = await owned.append([guide('new')]);
    await expect(lost.append([guide('old')])).rejects.toThrow(LoopError);
    expect(lost.lease.lost.aborted).toBe(true);
    expect(lost.lease.lost.reason).toBeInstanceOf(LoopError);
    await expect(lost.save(loopOf(facts))).rejects.toThrow(LoopError);
    await lost.close();
    expect((await next.store.read(loopId)).loop.commands.guidance.map(({ id }) => id)).toEqual(['new']);
    expect(textsOf(await owned.append([guide('newer')]))).toEqual(['newer']);
    expect(taken?.epoch).toBe(owned.lease.epoch);
  }),

  promise('an owner that gives a loop up frees it at once', async (place) => {
    const { store } = place.startProcess();
    const owned = await store.create(loopId);
    await owned.append([started]);
    expect((await store.read(loopId)).owner).toMatchObject({ liveness: 'alive' });
    await owned.close();
    expect((await store.read(loopId)).owner).toBeUndefined();
    await using next = await place.startProcess().store.open(loopId);
    expect(next.lease.lost.aborted).toBe(false);
  }),

  promise('an owner that has given a loop up writes nothing any more', async (place) => {
    const { store } = place.startProcess();
    const left = await store.create(loopId);
    const facts = await left.append([started]);
    await left.close();
    await expect(left.append([guide('late')])).rejects.toThrow(LoopError);
    await expect(left.save(loopOf(facts))).rejects.toThrow(LoopError);
    await using next = await place.startProcess().store.open(loopId);
    expect(next.recovered.loop?.commands.guidance).toEqual([]);
    await expect(left.append([guide('later')])).rejects.toThrow(LoopError);
    expect(textsOf(await next.append([guide('a')]))).toEqual(['a']);
  }),

  promise('an owner that died is named as dead until somebody takes the loop over', async (place) => {
    const dying = place.startProcess();
    const owned = await dying.store.create(loopId);
    await owned.append([started]);
    dying.kill();
    const { store } = place.startProcess();
    expect((await store.read(loopId)).owner).toMatchObject({ liveness: 'dead', epoch: owned.lease.epoch });
  }),

  promise('a lease names its owner, as everybody else sees it', async (place) => {
    const { store } = place.startProcess();
    await using owned = await store.create(loopId);
    await owned.append([started]);
    const { owner } = await place.startProcess().store.read(loopId);
    expect(owner).toMatchObject({ ...owned.lease.owner, epoch: owned.lease.epoch, liveness: 'alive' });
  }),

  promise('of many who want a free loop at the same time, one gets it', async (place) => {
    const first = await place.startProcess().store.create(loopId);
    await first.append([started]);
    await first.close();
    const tried = await Promise.allSettled(
      Array.from({ length: 4 }, async () => await place.startProcess().store.open(loopId)),
    );
    const owners = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(owners).toHaveLength(1);
    for (const owner of owners) {
      expect(textsOf(await owner.append([guide('a')]))).toEqual(['a']);
      await owner.close();
    }
  }),

  promise('a lease that is released, once or twice, was not lost, and harms no later owner', async (place) => {
    const first = await place.startProcess().store.create(loopId);
    await first.append([started]);
    await first.lease.release();
    await using next = await place.startProcess().store.open(loopId);
    await first.lease.release();
    await first.close();
    expect(first.lease.lost.aborted).toBe(false);
    expect(textsOf(await next.append([guide('a')]))).toEqual(['a']);
    expect(next.lease.epoch).toBeGreaterThan(first.lease.epoch);
  }),
];
