import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factTypes, isFactType } from './catalogue.ts';
import { readFact, type UntypedEntry } from './read-fact.ts';

const at = '2026-11-01T12:00:00.000Z';

function entry(type: string, data: unknown): UntypedEntry {
  return { seq: 7, at, epoch: 2, type, data };
}

test('an entry of a known type and shape is read with its place in the journal', () => {
  expect(readFact(entry('loop.completing', { verified: true }))).toEqual({
    ok: true,
    fact: { type: 'loop.completing', data: { verified: true }, seq: 7, at, epoch: 2 },
  });
});

test('a key that a later version added is dropped, so that an older journal reader still understands the rest', () => {
  expect(readFact(entry('loop.completing', { verified: true, since: 'later' }))).toMatchObject({
    ok: true,
    fact: { data: { verified: true } },
  });
});

test.each([
  ['an unknown type', 'loop.exploded', {}, 'entry 7 has the unknown type "loop.exploded"'],
  ['a name every object has', 'toString', {}, 'entry 7 has the unknown type "toString"'],
  ['the name of the prototype', '__proto__', {}, 'entry 7 has the unknown type "__proto__"'],
  [
    'a missing field',
    'loop.completing',
    {},
    'entry 7, loop.completing, does not have the expected shape (verified: Invalid input: expected boolean, received undefined)',
  ],
  [
    'a word outside its list',
    'reboot.started',
    { cause: 'boredom' },
    'entry 7, reboot.started, does not have the expected shape (cause: Invalid option: expected one of "redline"|"degradation"|"iteration_limit"|"session_timeout"|"pattern"|"manual"|"error")',
  ],
  [
    'no data at all',
    'loop.resumed',
    undefined,
    'entry 7, loop.resumed, does not have the expected shape (: Invalid input: expected object, received undefined)',
  ],
])('%s is reported, not guessed at', (_case, type, data, problem) => {
  expect(readFact(entry(type, data))).toEqual({ ok: false, problem });
});

test.each([
  ['an iteration before the first', 'gate.started', { iteration: 0, attempt: 1 }],
  ['half an attempt', 'gate.started', { iteration: 1, attempt: 1.5 }],
  ['an instant without a zone', 'wait.scheduled', { until: '2026-11-01T12:00:00', cause: 'limit', message: '' }],
  ['an instant that is a word', 'wait.scheduled', { until: 'tomorrow', cause: 'limit', message: '' }],
  ['negative running time', 'loop.paused', { reason: 'user_pause', message: '', elapsedMs: -1 }],
  [
    'a status that ends nothing',
    'loop.ended',
    { status: 'paused', reason: 'completed', message: '', verified: true, elapsedMs: 0 },
  ],
  ['a command nobody knows', 'command.accepted', { id: 'a', command: 'explode' }],
])('%s is refused', (_case, type, data) => {
  expect(readFact(entry(type, data))).toMatchObject({ ok: false });
});

test('whatever JSON a journal holds, reading it never throws', () => {
  const type = fc.oneof(fc.constantFrom(...factTypes), fc.string());
  fc.assert(
    fc.property(type, fc.jsonValue(), (word, data) => {
      const reading = readFact(entry(word, data));
      if (!isFactType(word)) expect(reading.ok).toBe(false);
      if (!reading.ok) expect(reading.problem).toContain('entry 7');
    }),
  );
});
