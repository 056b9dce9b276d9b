import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitFrontMatter } from './front-matter.ts';

test.each([
  ['a mapping', '---\nname: x\n---\nTask\n', 'name: x\n', 'Task\n', 4],
  ['nothing between', '---\n---\nTask', '', 'Task', 3],
  ['blanks after the marks', '--- \nname: x\n---\t\nTask', 'name: x\n', 'Task', 4],
  ['CR LF', '---\r\nname: x\r\n---\r\nTask\r\n', 'name: x\r\n', 'Task\r\n', 4],
  ['a byte order mark', '\uFEFF---\nname: x\n---\nTask', 'name: x\n', 'Task', 4],
  ['nothing after it', '---\nname: x\n---', 'name: x\n', '', 4],
  ['a rule in the task', '---\na: 1\n---\nTask\n---\nmore', 'a: 1\n', 'Task\n---\nmore', 4],
  ['dashes inside', '---\na: ---\n  ---\n----\n---\nTask', 'a: ---\n  ---\n----\n', 'Task', 6],
])('B002: front matter with %s', (_case, text, frontMatter, body, bodyLine) => {
  expect(splitFrontMatter(text)).toEqual({ frontMatter, body, bodyLine });
});

test.each([
  ['an empty text', ''],
  ['plain text', 'Task\n---\nmore\n---\n'],
  ['an empty line first', '\n---\nname: x\n---\n'],
  ['a blank first', ' ---\nname: x\n---\n'],
  ['a longer rule', '----\nname: x\n---\n'],
  ['a heading', '--- Task ---\n---\n'],
  ['a rule and nothing else', '---'],
])('B002: no front matter in %s', (_case, text) => {
  expect(splitFrontMatter(text)).toEqual({ body: text, bodyLine: 1 });
});

test.each(['---\n', '---\nTask\n', '---\nTask\n ---\n', '---\nTask\n---more\n'])(
  'B004: a text that begins with a rule and has no second one is left unchanged: %j',
  (text) => {
    expect(splitFrontMatter(text)).toEqual({ body: text, bodyLine: 1, doubt: 'unclosed' });
  },
);

test('a second rule that is very far away closes nothing', () => {
  const text = `---\n${'text\n'.repeat(20_000)}---\n`;
  expect(splitFrontMatter(text)).toEqual({ body: text, bodyLine: 1, doubt: 'too_long' });
});

test('B002: no text is lost: the front matter and the body are the file', () => {
  const line = fc.constantFrom('---', '--- ', 'a: 1', '', 'Task', ' ---');
  const text = fc.tuple(fc.array(line), fc.constantFrom('\n', '\r\n')).map(([lines, end]) => lines.join(end));
  fc.assert(
    fc.property(text, (whole) => {
      const { frontMatter, body, bodyLine } = splitFrontMatter(whole);
      expect(whole.endsWith(body)).toBe(true);
      if (frontMatter === undefined) expect(body).toBe(whole);
      else expect(whole).toContain(`\n${frontMatter}`);
      const before = whole.slice(0, whole.length - body.length);
      if (body !== '') expect(bodyLine).toBe(before.split('\n').length);
    }),
  );
});
