import { expect, test } from 'vitest';
import type { AgentEvent } from './event.ts';
import { createTranscript } from './transcript.ts';

function read(...events: readonly AgentEvent[]) {
  const transcript = createTranscript();
  return events.flatMap((event) => transcript.take(event));
}

const text = (message: string, words: string, append = false): AgentEvent => ({
  type: 'text',
  message,
  text: words,
  append,
});

test('A061: text that comes in pieces, then as a block and then as the result appears once', () => {
  const entries = read(
    text('m1', 'One ', true),
    text('m1', 'two.', true),
    text('m1', 'One two.'),
    text('m1', 'One two.\nThree.'),
    { type: 'result', outcome: 'completed', text: 'One two.\nThree.' },
  );
  expect(entries).toEqual([
    { type: 'text', text: 'One ', startsMessage: true },
    { type: 'text', text: 'two.', startsMessage: false },
    { type: 'text', text: '\nThree.', startsMessage: false },
  ]);
});

test('A061: a new message and a message that was rewritten are both there whole', () => {
  const entries = read(text('m1', 'One.'), text('m2', 'Two.'), text('m2', 'Another.'));
  expect(entries.map((entry) => (entry.type === 'text' ? [entry.text, entry.startsMessage] : []))).toEqual([
    ['One.', true],
    ['Two.', true],
    ['Another.', true],
  ]);
});

test('A061: an answer that is only in the result appears, and a repeated error appears once', () => {
  expect(read({ type: 'result', outcome: 'completed', text: 'Done.' })).toMatchObject([{ text: 'Done.' }]);
  const error: AgentEvent = { type: 'error', outcome: 'auth', message: 'Not logged in', fatal: true };
  expect(read(error, { type: 'result', outcome: 'auth', message: 'Not logged in' })).toEqual([
    { type: 'error', message: 'Not logged in' },
  ]);
});

test('A061: a result names its call, and a call that is reported again appears once unless its detail is new', () => {
  const call: AgentEvent = { type: 'tool_use', id: 't1', name: 'Bash', detail: 'npm test' };
  const bare: AgentEvent = { type: 'tool_use', id: 't2', name: 'Write' };
  expect(read(call, call, bare, { ...bare, detail: 'a.ts' }, { type: 'tool_result', id: 't1', ok: false })).toEqual([
    call,
    bare,
    { ...bare, detail: 'a.ts' },
    { type: 'tool_result', id: 't1', name: 'Bash', detail: 'npm test', ok: false },
  ]);
});

test('A061: a message of any length is remembered in little memory and still not repeated', () => {
  const transcript = createTranscript();
  const piece = 'x'.repeat(10_000);
  for (let count = 0; count < 100; count += 1) transcript.take(text('m', piece, true));
  expect(transcript.take(text('m', `${piece.repeat(100)}end`))).toEqual([
    { type: 'text', text: 'end', startsMessage: false },
  ]);
});
