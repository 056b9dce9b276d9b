import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createParser, type StreamMessage } from './stream.ts';

test('messages are read the same wherever the network cuts them', () => {
  const text =
    ': ping\n\nevent: fact\nid: 7\ndata: {"seq":7,"text":"a\\nb"}\n\nevent: pulse\ndata: null\n\ndata: {"x":1}\r\n\r\n';
  const whole = read([text]);
  expect(whole).toEqual([
    { name: 'fact', data: { seq: 7, text: 'a\nb' }, id: '7' },
    { name: 'pulse', data: null },
    { name: 'message', data: { x: 1 } },
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 20 }), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const parts = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(read(parts)).toEqual(whole);
    }),
  );
});

test('a message that is not JSON is passed on without data, and the next one is read', () => {
  expect(read(['data: {broken\n\ndata: 2\n\n'])).toEqual([
    { name: 'message', data: undefined },
    { name: 'message', data: 2 },
  ]);
});

function read(parts: readonly string[]): readonly StreamMessage[] {
  const messages: StreamMessage[] = [];
  const parser = createParser((message) => messages.push(message));
  for (const part of parts) parser.take(part);
  return messages;
}
