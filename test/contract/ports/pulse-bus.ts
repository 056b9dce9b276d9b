import { expect } from 'vitest';
import type { Pulse } from '../../../src/protocol/index.ts';
import { type LoopPlaceUnderTest, type PortPromise, type ProcessUnderTest, promise } from './adapter.ts';
import { loopId, started } from './facts.ts';

const at = '2026-11-01T12:00:00.000Z';

/** The guarantees of every pulse bus. */
export const pulseBusPromises: readonly PortPromise[] = [
  promise('who follows a loop sees its newest pulse, and nothing when the step is over', async (place) => {
    const { show, reader } = await setUp(place);
    const { seen, stop } = follow(reader);
    show('a');
    await expect.poll(() => seen.at(-1)).toBe('a');
    show('b');
    await expect.poll(() => seen.at(-1)).toBe('b');
    show(undefined);
    await expect.poll(() => seen.at(-1)).toBe('nothing');
    await stop();
  }),

  promise('who comes late gets the newest pulse, and as many may follow as want to', async (place) => {
    const { show, reader, owner } = await setUp(place);
    const early = follow(owner);
    show('a');
    await expect.poll(() => early.seen.at(-1)).toBe('a');
    const late = follow(reader);
    await expect.poll(() => late.seen).toEqual(['a']);
    await Promise.all([early.stop(), late.stop()]);
  }),

  promise('the pulses of another loop are not those of this one', async (place) => {
    const { show, reader, owner } = await setUp(place);
    const other = 'ralph-other-b1b2c3d4';
    const { lease, ...owned } = await owner.store.create(other);
    await owned.append([started]);
    const { seen, stop } = follow(reader);
    const others = follow(reader, other);
    owner.sinkOf(other)(pulseOf(other, lease.epoch, 'elsewhere'));
    await expect.poll(() => others.seen).toEqual(['elsewhere']);
    show('a');
    await expect.poll(() => seen).toEqual(['a']);
    await Promise.all([stop(), others.stop()]);
  }),

  promise('what an owner that died was doing is over, and so is that of one that was replaced', async (place) => {
    const { show, reader, owner } = await setUp(place);
    const { seen, stop } = follow(reader);
    show('a');
    await expect.poll(() => seen).toEqual(['a']);
    owner.kill();
    await expect.poll(() => seen.at(-1)).toBe('nothing');
    const next = place.startProcess();
    await using owned = await next.store.open(loopId);
    const late = follow(next);
    show('from the dead');
    next.sinkOf(loopId)(pulseOf(loopId, owned.lease.epoch, 'b'));
    await expect.poll(() => late.seen.at(-1)).toBe('b');
    expect(late.seen).not.toContain('from the dead');
    await Promise.all([stop(), late.stop()]);
  }),

  promise('a signal ends it while it waits, and a loop that is not there has no pulses', async (place) => {
    const { reader } = await setUp(place);
    const { seen, stop } = follow(reader);
    await stop();
    expect(seen).toEqual([]);
    const nowhere = follow(reader, 'ralph-nowhere-c1b2c3d4');
    await nowhere.over;
    expect(nowhere.seen).toEqual([]);
  }),
];

/** A loop, its owner with its pulse sink, and another process. */
async function setUp(place: LoopPlaceUnderTest) {
  const owner = place.startProcess();
  const { lease, ...owned } = await owner.store.create(loopId);
  await owned.append([started]);
  const sink = owner.sinkOf(loopId);
  const show = (text: string | undefined) => sink(text === undefined ? undefined : pulseOf(loopId, lease.epoch, text));
  return { owner, show, reader: place.startProcess() };
}

/** A pulse that is distinguishable by its text. */
function pulseOf(id: string, epoch: number, text: string): Pulse {
  const recent = [{ number: 1, at, kind: 'tool', text } as const];
  return { version: 1, loopId: id, epoch, at, iteration: 1, attempt: 1, step: 'agent', since: at, recent };
}

/** Follows until stopped and collects the texts. */
function follow({ pulses }: ProcessUnderTest, id = loopId) {
  const seen: string[] = [];
  const ending = new AbortController();
  const over = (async () => {
    for await (const pulse of pulses.follow(id, { signal: ending.signal })) {
      seen.push(pulse?.step === 'agent' ? (pulse.recent[0]?.text ?? '') : 'nothing');
    }
  })();
  const stop = async () => {
    ending.abort();
    await over;
  };
  return { seen, over, stop };
}
