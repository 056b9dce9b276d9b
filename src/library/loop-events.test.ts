import { expect, test } from 'vitest';
import { createLoopEvents } from './loop-events.ts';
import type { LoopEvent } from './to-events.ts';

function fact(seq: number): LoopEvent {
  return { type: 'loop.resumed', data: {}, seq, at: '2026-01-01T00:00:00.000Z', epoch: 1, loopId: 'ralph-x-00000001' };
}

/** A journal that holds everything up to the newest fact, and counts how often it is opened. */
function createJournal() {
  const journal = { facts: [] as LoopEvent[], opened: 0 };
  async function* read({ afterSeq = 0 }) {
    journal.opened += 1;
    for (const each of journal.facts) if (each.seq > afterSeq) yield each;
  }
  const events = createLoopEvents(0, read);
  const add = (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      const next = fact(journal.facts.length + 1);
      journal.facts.push(next);
      events.add(next);
    }
  };
  return { journal, events, add };
}

async function seqsOf(events: AsyncIterable<LoopEvent>): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) seqs.push(seq);
  return seqs;
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('a reader that keeps up never opens the journal, and ends with the run', async () => {
  const { journal, events, add } = createJournal();
  const read = seqsOf(events.read());
  add(3);
  await Promise.resolve();
  add(2);
  events.end();
  expect(await read).toEqual([1, 2, 3, 4, 5]);
  expect(journal.opened).toBe(0);
});

test('what is no longer in memory comes from the journal, without a gap and without a repetition', async () => {
  const { journal, events, add } = createJournal();
  add(2_500);
  const read = seqsOf(events.read({ afterSeq: 3 }));
  events.end();
  expect(await read).toEqual(upTo(2_500, 4));
  expect(journal.opened).toBe(1);
});

test('a reader that falls behind while it reads the journal misses nothing', async () => {
  const { events, add } = createJournal();
  add(1_500);
  const seqs: number[] = [];
  for await (const { seq } of events.read()) {
    seqs.push(seq);
    if (seq === 400 || seq === 1_000 || seq === 2_600) add(1_600);
    if (seq === 6_300) break;
    if (seqs.length === 6_000) events.end();
  }
  expect(seqs).toEqual(upTo(6_300));
});

test('a signal ends a reader that waits', async () => {
  const { events, add } = createJournal();
  const stop = new AbortController();
  const read = seqsOf(events.read({ signal: stop.signal }));
  add(1);
  await Promise.resolve();
  stop.abort();
  expect(await read).toHaveLength(1);
});
