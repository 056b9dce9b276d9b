import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractSummary } from './summary.ts';

test.each([
  ['a second-level heading', 'Text\n## Summary\nFixed it.', 'Fixed it.'],
  ['a third-level heading', 'Text\n### Summary\nFixed it.', 'Fixed it.'],
  ['a label', 'Text\nSummary:\nFixed it.', 'Fixed it.'],
  ['a label with text beside it', 'Summary: Fixed it.\nTests pass.', 'Fixed it.\nTests pass.'],
  ['a heading with a colon', '## Summary: Fixed it.', 'Fixed it.'],
  ['an indented label', '  Summary: Fixed it.', 'Fixed it.'],
  ['white space around the lines', '## Summary\n\n   Fixed it.  \n\tTests pass.\n\n', 'Fixed it.\nTests pass.'],
  ['CR LF', '## Summary\r\nFixed it.\r\nTests pass.\r\n', 'Fixed it.\nTests pass.'],
  ['more than five lines', '## Summary\n1\n2\n3\n4\n5\n6', '1\n2\n3\n4\n5'],
  ['more than five lines after a label', 'Summary: 1\n2\n3\n4\n5\n6', '1\n2\n3\n4\n5'],
  [
    'several markers: the second-level heading comes first',
    'Summary: label\n### Summary\nthird\n## Summary\nsecond',
    'second',
  ],
  ['several markers of one kind: the first counts', '## Summary\na\n\n\n\n\n## Summary\nb', 'a'],
])('A089: a summary after %s', (_case, text, summary) => {
  expect(extractSummary(text)).toBe(summary);
});

test.each([
  ['no marker', 'I fixed it.'],
  ['an empty text', ''],
  ['a marker with nothing after it', 'Text\n## Summary'],
  ['a marker with only white space after it', '## Summary\n  \n\t\n'],
  ['the word inside a sentence', 'In ## Summary I fixed it. The Summary: nothing.'],
  ['a longer word', '## Summaryze\nthis'],
  ['a first-level heading', '# Summary\nFixed it.'],
])('A089: no summary from %s', (_case, text) => {
  expect(extractSummary(text)).toBeUndefined();
});

test('A089: a summary is never empty, never untrimmed and never longer than five lines', () => {
  const line = fc.constantFrom('## Summary', '### Summary', 'Summary:', 'Summary: x', '', '  ', ' text ', '\r');
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const summary = extractSummary(lines.join('\n'));
      if (summary === undefined) return;
      expect(summary).toBe(summary.trim());
      expect(summary).not.toBe('');
      expect(summary.split('\n').length).toBeLessThanOrEqual(5);
    }),
  );
});
