import { expect, test } from 'vitest';
import type { RecordedFact } from '../protocol/index.ts';
import { createFactStream } from './fact-stream.ts';

function fact(seq: number): RecordedFact {
  return { type: 'loop.completing', data: { verified: true }, seq, at: '2026-11-01T12:00:00.000Z', epoch: 1 };
}

async function numbers(facts: AsyncIterable<RecordedFact>): Promise<readonly number[]> {
  const seen: number[] = [];
  for await (const { seq } of facts) seen.push(seq);
  return seen;
}

test('A036 A057: each of many listeners gets each fact once and in order', () => {
  const stream = createFactStream();
  const seen: string[] = [];
  using _one = stream.subscribe(({ seq }) => seen.push(`one ${seq}`));
  using _two = stream.subscribe(({ seq }) => seen.push(`two ${seq}`));
  stream.publish([fact(1), fact(2)]);
  expect(seen).toEqual(['one 1', 'two 1', 'one 2', 'two 2']);
});

test('a listener that throws is reported once and dropped; the others get everything', () => {
  const errors: unknown[] = [];
  const stream = createFactStream((error) => errors.push(error));
  const seen: number[] = [];
  const bad = new Error('not my day');
  using _bad = stream.subscribe(() => {
    throw bad;
  });
  using _good = stream.subscribe(({ seq }) => seen.push(seq));
  stream.publish([fact(1), fact(2)]);
  expect(errors).toEqual([bad]);
  expect(seen).toEqual([1, 2]);
});

test('a listener that unsubscribes, even from inside a call, gets nothing more', () => {
  const stream = createFactStream();
  const seen: number[] = [];
  const subscription = stream.subscribe(({ seq }) => {
    seen.push(seq);
    subscription[Symbol.dispose]();
  });
  stream.publish([fact(1), fact(2)]);
  expect(seen).toEqual([1]);
});

test('a reader gets the facts from its start on, also those published before it asked, and ends after the last', async () => {
  const stream = createFactStream();
  stream.publish([fact(1)]);
  const reading = numbers(stream.iterate());
  stream.publish([fact(2), fact(3)]);
  await Promise.resolve();
  stream.publish([fact(4)]);
  stream.endIterations();
  stream.publish([fact(5)]);
  expect(await reading).toEqual([2, 3, 4]);
});

test('a reader that waits is woken by the end', async () => {
  const stream = createFactStream();
  const iterator = stream.iterate();
  const next = iterator.next();
  stream.endIterations();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('a slow reader and a quick one each get everything', async () => {
  const stream = createFactStream();
  const slow = stream.iterate();
  const quick = numbers(stream.iterate());
  stream.publish([fact(1), fact(2)]);
  expect((await slow.next()).value).toMatchObject({ seq: 1 });
  stream.publish([fact(3)]);
  stream.endIterations();
  expect(await quick).toEqual([1, 2, 3]);
  expect(await numbers(slow)).toEqual([2, 3]);
});

test('a reader that leaves early costs nothing more, and a second run has readers of its own', async () => {
  const stream = createFactStream();
  const left = stream.iterate();
  stream.publish([fact(1)]);
  await left.next();
  await left.return?.();
  stream.publish([fact(2)]);
  expect(await left.next()).toEqual({ done: true, value: undefined });
  const later = numbers(stream.iterate());
  stream.publish([fact(3)]);
  stream.endIterations();
  expect(await later).toEqual([3]);
});
