import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxHookPromptLength, maxHookValues, mergeHookData, readHookReply } from './reply.ts';

test.each([
  ['nothing', ''],
  ['text', 'backed up 3 files\n'],
  ['a list', '[{"continue":false}]'],
  ['half an object', '{"continue": fal'],
  ['an object and more', '{"continue": false}\ndone'],
  ['an object without anything known', ' {"later": {"version": 1}} \n'],
  ['an object of a megabyte', `{"continue": false, "padding": "${'x'.repeat(1_000_000)}"}`],
])('%s is no reply and has no effect', (_case, stdout) => {
  expect(readHookReply(stdout)).toEqual({ ok: true, reply: {} });
});

test('B070: a hook may ask to stop, add to the prompt and pass on values', () => {
  const answer = {
    continue: false,
    reason: 'frozen',
    prompt: 'Mind the gap.',
    data: { a: 'x', b: 7, c: true },
    more: 1,
  };
  expect(readHookReply(`\n${JSON.stringify(answer)}\n`)).toEqual({
    ok: true,
    reply: { stop: 'frozen', prompt: 'Mind the gap.', data: { a: 'x', b: '7', c: 'true' } },
  });
});

test('a hook that asks to stop without a reason still stops the loop', () => {
  expect(readHookReply('{"continue":false,"reason":" "}')).toEqual({ ok: true, reply: { stop: 'no reason given' } });
  expect(readHookReply('{"continue":true,"reason":"fine"}')).toEqual({ ok: true, reply: {} });
});

test.each([
  ['{"continue":"no"}', '"continue" in its reply must be true or false'],
  ['{"prompt":["a"]}', '"prompt" in its reply must be text'],
  ['{"data":{"a":{}}}', '"data.a" in its reply must be text, a number, true or false'],
  ['{"data":{"a b":1}}', '"data.a b" in its reply must be a name of at most 64 letters and digits'],
  ['{"data":[]}', '"data" in its reply must be a mapping'],
])('a reply of the wrong kind is a failure, never accepted in part: %s', (stdout, problem) => {
  expect(readHookReply(stdout)).toEqual({ ok: false, problem });
});

test('the reply of a hook is bounded', () => {
  const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, 'v'.repeat(5_000)]));
  const reading = readHookReply(JSON.stringify({ prompt: 'p'.repeat(100_000), data: { ...data } }).slice(0));
  expect(reading).toEqual({ ok: true, reply: {} });
  const fewer = Object.fromEntries(Object.entries(data).slice(0, 40));
  const { reply } = readHookReply(JSON.stringify({ prompt: 'p'.repeat(20_000), data: fewer })) as { reply: Said };
  expect(reply.prompt?.length).toBeLessThanOrEqual(maxHookPromptLength);
  expect(Object.keys(reply.data ?? {})).toHaveLength(maxHookValues);
  expect(Math.max(...Object.values(reply.data ?? {}).map(({ length }) => length))).toBeLessThanOrEqual(1_000);
});

interface Said {
  readonly prompt?: string;
  readonly data?: Readonly<Record<string, string>>;
}

test('B070: later values win, and however many come, the newest are kept', () => {
  expect(mergeHookData({ a: '1', b: '1' }, { b: '2', c: '2' })).toEqual({ a: '1', b: '2', c: '2' });
  const values = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 60 });
  fc.assert(
    fc.property(values, values, (before, added) => {
      const merged = Object.entries(mergeHookData(before, added));
      expect(merged.length).toBe(
        Math.min(maxHookValues, new Set([...Object.keys(before), ...Object.keys(added)]).size),
      );
      for (const [name, value] of merged) expect(value).toBe(Object.hasOwn(added, name) ? added[name] : before[name]);
    }),
  );
});
