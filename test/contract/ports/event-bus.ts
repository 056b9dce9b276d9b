import { expect } from 'vitest';
import type { RecordedFact } from '../../../src/protocol/index.ts';
import { type LoopPlaceUnderTest, type PortPromise, type ProcessUnderTest, promise } from './adapter.ts';
import { ended, expectRising, guide, loopId, started, textsOf } from './facts.ts';

/** The guarantees of every event bus. */
export const eventBusPromises: readonly PortPromise[] = [
  promise(
    'who follows a loop gets every fact once and in order, the old ones and the new ones, to the end',
    async (place) => {
      const { owned, reader } = await setUp(place);
      const before = await owned.append([started, guide('a')]);
      const { seen, over } = follow(reader);
      await expect.poll(() => textsOf(seen)).toEqual(['loop.started', 'a']);
      const after = [...(await owned.append([guide('b'), guide('c')])), ...(await owned.append([ended]))];
      await over;
      expect(withoutHeads(seen)).toEqual([...before, ...after]);
      expectRising(seen);
      await owned.close();
    },
  ),

  promise('one may begin behind any number', async (place) => {
    const { owned, reader } = await setUp(place);
    const facts = await owned.append([started, guide('a'), guide('b'), ended]);
    await owned.close();
    for (const [index, { seq }] of facts.entries()) {
      if (index === facts.length - 1) continue;
      const { seen, over } = follow(reader, { afterSeq: seq });
      await over;
      expect(withoutHeads(seen)).toEqual(facts.slice(index + 1));
    }
  }),

  promise('nothing is lost or doubled over takeovers and times without an owner', async (place) => {
    const { owned, owner, reader } = await setUp(place);
    const facts = [...(await owned.append([started, guide('0')]))];
    const { seen, over } = follow(reader);
    owner.kill();
    for (let round = 1; round <= 4; round += 1) {
      const process = place.startProcess();
      const next = await process.store.open(loopId);
      facts.push(...(await next.append([guide(String(round)), guide(`${round}b`)])));
      if (round % 2 === 0) process.kill();
      else await next.close();
    }
    await using last = await place.startProcess().store.open(loopId);
    facts.push(...(await last.append([ended])));
    await over;
    expect(withoutHeads(seen)).toEqual(facts);
    expectRising(seen);
  }),

  promise('nothing is lost or doubled when a reader comes back to where it was', async (place) => {
    const { owned } = await setUp(place);
    const facts = [...(await owned.append([started]))];
    const seen: RecordedFact[] = [];
    for (let round = 0; round < 5; round += 1) {
      facts.push(...(await owned.append([guide(`${round}a`), guide(`${round}b`)])));
      const afterSeq = seen.at(-1)?.seq ?? 0;
      for await (const fact of place.startProcess().events.follow(loopId, { afterSeq })) {
        seen.push(fact);
        if (fact.type === 'command.accepted') break;
      }
    }
    facts.push(...(await owned.append([ended])));
    const afterSeq = seen.at(-1)?.seq ?? 0;
    for await (const fact of place.startProcess().events.follow(loopId, { afterSeq })) seen.push(fact);
    expect(withoutHeads(seen)).toEqual(facts);
    await owned.close();
  }),

  promise('long journals come whole, also while they grow', async (place) => {
    const { owned, reader } = await setUp(place);
    const facts = [...(await owned.append([started]))];
    const { seen, over } = follow(reader);
    for (let round = 0; round < 60; round += 1) {
      const batch = Array.from({ length: 10 }, (_, index) => guide(`${round}.${index} ${'x'.repeat(200)}`));
      facts.push(...(await owned.append(batch)));
    }
    facts.push(...(await owned.append([ended])));
    await over;
    expect(textsOf(seen)).toEqual(textsOf(facts));
    expectRising(seen);
    await owned.close();
  }),

  promise('a reader that takes its time costs nobody anything, and still gets everything', async (place) => {
    const { owned, reader } = await setUp(place);
    const facts = [...(await owned.append([started]))];
    const slow = reader.events.follow(loopId)[Symbol.asyncIterator]();
    const first = await slow.next();
    for (let round = 0; round < 200; round += 1) facts.push(...(await owned.append([guide(String(round))])));
    facts.push(...(await owned.append([ended])));
    const rest: RecordedFact[] = first.done === true ? [] : [first.value];
    for (let next = await slow.next(); next.done !== true; next = await slow.next()) rest.push(next.value);
    expect(withoutHeads(rest)).toEqual(facts);
    await owned.close();
  }),

  promise('a signal ends it, between two facts as well as while it waits', async (place) => {
    const { owned, reader } = await setUp(place);
    await owned.append([started, guide('a')]);
    const waiting = new AbortController();
    const { seen, over } = follow(reader, { signal: waiting.signal });
    await expect.poll(() => textsOf(seen)).toEqual(['loop.started', 'a']);
    waiting.abort();
    await over;
    const between = new AbortController();
    const got: RecordedFact[] = [];
    for await (const fact of reader.events.follow(loopId, { signal: between.signal })) {
      got.push(fact);
      if (fact.type === 'loop.started') between.abort();
    }
    expect(textsOf(got)).toEqual(['loop.started']);
    await owned.close();
  }),

  promise('facts are followed only once they are durable, and by as many as want to', async (place) => {
    const { owned, owner } = await setUp(place);
    const readers = [follow(owner), follow(place.startProcess()), follow(place.startProcess())];
    const facts = [...(await owned.append([started])), ...(await owned.append([guide('a'), ended]))];
    for (const { seen, over } of readers) {
      await over;
      expect(withoutHeads(seen)).toEqual(facts);
    }
    await owned.close();
  }),
];

/** A loop, its owner and another process. */
async function setUp(place: LoopPlaceUnderTest) {
  const owner = place.startProcess();
  const owned = await owner.store.create(loopId);
  return { owner, owned, reader: place.startProcess() };
}

/** Follows to the end and collects the facts. */
function follow({ events }: ProcessUnderTest, options: Parameters<typeof events.follow>[1] = {}) {
  const seen: RecordedFact[] = [];
  const over = (async () => {
    for await (const fact of events.follow(loopId, options)) seen.push(fact);
  })();
  return { seen, over };
}

function withoutHeads(facts: readonly RecordedFact[]): readonly RecordedFact[] {
  return facts.filter(({ type }) => type !== 'segment.opened');
}
