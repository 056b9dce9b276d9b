import { expect } from 'vitest';
import { accept, allowedCommands, type LoopCommand } from '../../../src/core/index.ts';
import type { Answer, CommandReceiver, OwnedLoop } from '../../../src/runner/index.ts';
import { type LoopPlaceUnderTest, type PortPromise, type ProcessUnderTest, promise } from './adapter.ts';
import { loopId, loopOf, started } from './facts.ts';

const accepted: Answer = { accepted: true };

/** The guarantees of every command bus. */
export const commandBusPromises: readonly PortPromise[] = [
  promise('a sender gets the answer of the owner, yes or no', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    using _listening = listen(owner, owned).listening;
    expect(await sender.commands.send(loopId, guide('one'))).toEqual(accepted);
    expect(await sender.commands.send(loopId, { id: 'two', command: 'skip' })).toEqual({
      accepted: false,
      why: 'no iteration is under way',
      allowed: ['pause', 'stop', 'abort', 'reboot', 'guide', 'mode', 'note', 'breakpoint', 'drop'],
    });
  }),

  promise('a command arrives as it was sent', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    const { received, listening } = listen(owner, owned);
    using _listening = listening;
    const pause: LoopCommand = { id: 'p', command: 'pause', now: true };
    await sender.commands.send(loopId, pause);
    await sender.commands.send(loopId, guide('mind the "gap"\n'));
    expect(received).toEqual([pause, guide('mind the "gap"\n')]);
  }),

  promise('commands that wait are delivered at once to who begins to listen, oldest first', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    const answers = ['one', 'two', 'three'].map(async (id) => await sender.commands.send(loopId, guide(id)));
    const { received, listening } = listen(owner, owned);
    using _listening = listening;
    expect(await Promise.all(answers)).toEqual([accepted, accepted, accepted]);
    expect(received.map(({ id }) => id)).toEqual(['one', 'two', 'three']);
  }),

  promise('an answer is given only when the owner has given it', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    const ready = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const receive = receiver(owned);
    using _listening = owner.commands.listen(loopId, async (command) => {
      arrived.resolve();
      await ready.promise;
      return await receive(command);
    });
    let isAnswered = false;
    const sent = sender.commands.send(loopId, guide('one')).then(() => (isAnswered = true));
    await arrived.promise;
    expect(isAnswered).toBe(false);
    ready.resolve();
    await sent;
  }),

  promise('a command that is sent again under its id is answered again', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    using _listening = listen(owner, owned).listening;
    expect(await sender.commands.send(loopId, guide('one'))).toEqual(accepted);
    expect(await sender.commands.send(loopId, guide('one'))).toEqual(accepted);
  }),

  promise('a command whose owner dies over it is answered by the next one', async (place) => {
    const { owner, sender } = await setUp(place);
    const arrived = Promise.withResolvers<void>();
    const late = Promise.withResolvers<Answer>();
    owner.commands.listen(loopId, async () => {
      arrived.resolve();
      return await late.promise;
    });
    const answer = sender.commands.send(loopId, guide('one'));
    await arrived.promise;
    owner.kill();
    const next = place.startProcess();
    await using owned = await next.store.open(loopId);
    const { received, listening } = listen(next, owned);
    using _listening = listening;
    expect(await answer).toEqual(accepted);
    late.resolve(accepted);
    expect(received.map(({ id }) => id)).toEqual(['one']);
  }),

  promise('a command that its receiver cannot record stays for the next owner', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    const tried = Promise.withResolvers<void>();
    const first = owner.commands.listen(loopId, async () => {
      tried.resolve();
      throw new Error('the disk is full');
    });
    const answer = sender.commands.send(loopId, guide('one'));
    await tried.promise;
    first[Symbol.dispose]();
    await owned.close();
    const next = place.startProcess();
    await using taken = await next.store.open(loopId);
    using _listening = listen(next, taken).listening;
    expect(await answer).toEqual(accepted);
  }),

  promise('a sender may stop waiting; its command stays', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    const patience = new AbortController();
    const answer = sender.commands.send(loopId, guide('one'), { signal: patience.signal });
    const given = new Error('given up');
    patience.abort(given);
    await expect(answer).rejects.toBe(given);
    const { received, listening } = listen(owner, owned);
    using _listening = listening;
    await expect.poll(() => received.map(({ id }) => id)).toEqual(['one']);
  }),

  promise('who no longer listens gets nothing', async (place) => {
    const { owner, owned, sender } = await setUp(place);
    const { received, listening } = listen(owner, owned);
    listening[Symbol.dispose]();
    const answer = sender.commands.send(loopId, guide('one'));
    const { listening: again, received: later } = listen(owner, owned);
    using _listening = again;
    expect(await answer).toEqual(accepted);
    expect([received, later.map(({ id }) => id)]).toEqual([[], ['one']]);
  }),
];

/** A loop, its owner and another process. */
async function setUp(place: LoopPlaceUnderTest) {
  const owner = place.startProcess();
  const owned = await owner.store.create(loopId);
  await owned.append([started]);
  return { owner, owned, sender: place.startProcess() };
}

function guide(id: string): LoopCommand {
  return { id, command: 'guide', text: id };
}

/** Answers as a driver does, and collects the received commands. */
function listen({ commands }: ProcessUnderTest, owned: OwnedLoop) {
  const received: LoopCommand[] = [];
  const receive = receiver(owned);
  const listening = commands.listen(loopId, async (command) => {
    received.push(command);
    return await receive(command);
  });
  return { received, listening };
}

/** Records the answer as a fact of the loop before sending it. */
function receiver(owned: OwnedLoop): CommandReceiver {
  let loop = owned.recovered.loop ?? loopOf([{ ...started, seq: 1, at: '2026-01-01T00:00:00.000Z', epoch: 1 }]);
  return async (command) => {
    const facts = accept(loop, command);
    loop = loopOf(await owned.append(facts), loop);
    const why = loop.commands.served.find(({ id }) => id === command.id)?.refusedBecause;
    return why === undefined ? accepted : { accepted: false, why, allowed: allowedCommands(loop) };
  };
}
