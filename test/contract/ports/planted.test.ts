import { expect, test } from 'vitest';
import type { OwnedLoop } from '../../../src/runner/index.ts';
import type { LoopPlaceUnderTest, PortPromise, ProcessUnderTest } from './adapter.ts';
import { commandBusPromises } from './command-bus.ts';
import { eventBusPromises } from './event-bus.ts';
import { leasePromises } from './lease.ts';
import { loopStorePromises } from './loop-store.ts';
import { createMemoryPlace } from './memory-place.ts';
import { pulseBusPromises } from './pulse-bus.ts';

interface Planted {
  readonly bug: string;
  readonly promises: readonly PortPromise[];
  /** The start of the title of a guarantee that the bug breaks. */
  readonly breaks: string;
  readonly spoil: (process: ProcessUnderTest, others: readonly ProcessUnderTest[]) => ProcessUnderTest;
}

const planted: readonly Planted[] = [
  owning('a batch is written back to front', 'facts are kept in the order', (owned) => ({
    ...owned,
    append: async (facts) => await owned.append(facts.toReversed()),
  })),
  owning('the last fact of a batch is lost', 'what was appended is there', (owned) => ({
    ...owned,
    append: async (facts) => await owned.append(facts.length > 1 ? facts.slice(0, -1) : facts),
  })),
  owning('who has lost the lease is told that its facts are written', 'a lease that was lost', (owned) => ({
    ...owned,
    append: async (facts) => await owned.append(facts).catch(() => []),
  })),
  owning('all owners have the same epoch', 'every owner has a greater epoch', (owned) => ({
    ...owned,
    lease: { ...owned.lease, epoch: 1 },
  })),
  owning('trouble is reported once', 'trouble comes, goes and comes again', (owned) => ({
    ...owned,
    onTrouble(listener) {
      let isTold = false;
      return owned.onTrouble((trouble) => {
        if (!isTold) listener(trouble);
        isTold ||= trouble === undefined;
      });
    },
  })),
  owning('a snapshot replaces the facts behind it', 'a snapshot changes nothing', (owned) => {
    let isSaved = false;
    return {
      ...owned,
      append: async (facts) =>
        isSaved ? facts.map((fact) => ({ ...fact, seq: 9, at: '', epoch: 1 })) : owned.append(facts),
      save: async (loop) => {
        isSaved = true;
        await owned.save(loop);
      },
    };
  }),
  {
    bug: 'a second owner is let in',
    promises: leasePromises,
    breaks: 'a second owner is refused',
    spoil: (process, others) => ({
      ...process,
      store: {
        ...process.store,
        open: async (loopId) => {
          for (const other of others) other.kill();
          return await process.store.open(loopId);
        },
      },
    }),
  },
  {
    bug: 'every loop has always changed',
    promises: loopStorePromises,
    breaks: 'to read, list and ask',
    spoil: (process) => ({
      ...process,
      store: { ...process.store, changesSince: async () => await process.store.changesSince() },
    }),
  },
  {
    bug: 'nobody learns that an owner died',
    promises: loopStorePromises,
    breaks: 'a loop has changed when an owner',
    spoil: (process) => ({
      ...process,
      store: {
        ...process.store,
        changesSince: async (cursor) => {
          const changes = await process.store.changesSince(cursor);
          const stored = await Promise.all(changes.loopIds.map(async (id) => await process.store.read(id)));
          const known = stored.filter(({ owner }) => owner?.liveness !== 'dead');
          return { ...changes, loopIds: known.map(({ loopId }) => loopId) };
        },
      },
    }),
  },
  {
    bug: 'a command is accepted before its owner has seen it',
    promises: commandBusPromises,
    breaks: 'an answer is given only when',
    spoil: (process) => ({
      ...process,
      commands: {
        ...process.commands,
        send: async (loopId, command) => {
          void process.commands.send(loopId, command);
          return { accepted: true };
        },
      },
    }),
  },
  {
    bug: 'a refusal passes for an acceptance',
    promises: commandBusPromises,
    breaks: 'a sender gets the answer',
    spoil: (process) => ({
      ...process,
      commands: {
        ...process.commands,
        send: async (...sent) => {
          await process.commands.send(...sent);
          return { accepted: true };
        },
      },
    }),
  },
  {
    bug: 'who comes back gets everything again',
    promises: eventBusPromises,
    breaks: 'nothing is lost or doubled when a reader comes back',
    spoil: (process) => ({
      ...process,
      events: { follow: (loopId) => process.events.follow(loopId) },
    }),
  },
  {
    bug: 'the first fact of a new owner is lost',
    promises: eventBusPromises,
    breaks: 'nothing is lost or doubled over takeovers',
    spoil: (process) => ({
      ...process,
      events: {
        async *follow(loopId, options) {
          let epoch = 1;
          for await (const fact of process.events.follow(loopId, options)) {
            if (fact.epoch === epoch || fact.type === 'segment.opened') yield fact;
            if (fact.type !== 'segment.opened') epoch = fact.epoch;
          }
        },
      },
    }),
  },
  {
    bug: 'a loop at rest is reported as such again and again',
    promises: pulseBusPromises,
    breaks: 'a signal ends it while it waits',
    spoil: (process) => ({
      ...process,
      pulses: {
        async *follow(loopId, options) {
          yield undefined;
          yield* process.pulses.follow(loopId, options);
        },
      },
    }),
  },
];

test.each(planted)('the promises of a port notice it when $bug', async ({ promises, breaks, spoil }) => {
  const promise = promises.find(({ title }) => title.startsWith(breaks));
  if (promise === undefined) throw new Error(`There is no promise "${breaks}…".`);
  await promise.check(await createMemoryPlace());
  await expect(promise.check(spoilt(await createMemoryPlace(), spoil))).rejects.toBeInstanceOf(Error);
});

/** A bug in owned loops. */
function owning(bug: string, breaks: string, spoilLoop: (owned: OwnedLoop) => OwnedLoop): Planted {
  return {
    bug,
    promises: [...loopStorePromises, ...leasePromises],
    breaks,
    spoil: (process) => ({
      ...process,
      store: {
        ...process.store,
        create: async (loopId) => spoilLoop(await process.store.create(loopId)),
        open: async (loopId) => spoilLoop(await process.store.open(loopId)),
      },
    }),
  };
}

function spoilt(place: LoopPlaceUnderTest, spoil: Planted['spoil']): LoopPlaceUnderTest {
  const others: ProcessUnderTest[] = [];
  return {
    ...place,
    startProcess: () => {
      const process = place.startProcess();
      const spoiled = spoil(process, [...others]);
      others.push(process);
      return spoiled;
    },
  };
}
