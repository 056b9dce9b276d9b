import { expect, test } from 'vitest';
import { columnsOf, keepEnd, keepStart, keepWords, padAfter, padBefore, simple } from './width.ts';

test.each([
  ['plain text', 'fix the tests', 13],
  ['nothing', '', 0],
  ['Chinese', '修复测试', 8],
  ['Japanese, kana and a long sound', 'テストを直す', 12],
  ['half-width kana', 'ﾃｽﾄ', 3],
  ['full-width letters', 'ＡＢ', 4],
  ['Korean', '테스트', 6],
  ['an emoji', '🚀', 2],
  ['a text symbol shown as emoji', '❤️', 2],
  ['the same symbol as text', '❤', 1],
  ['a family of four', '👨‍👩‍👧‍👦', 2],
  ['a skin tone', '👍🏽', 2],
  ['a flag', '🇨🇭', 2],
  ['a letter with a combining mark', 'e\u0301', 1],
  ['a letter with many marks', 'z\u0300\u0301\u0302\u0323', 1],
  ['Thai with marks above', 'ที่นี่', 2],
  ['a mark alone', '\u0301', 0],
  ['an invisible joiner', 'a\u200bb', 2],
  ['accents, dashes and the signs of our tables', 'Prüfung – ∞ █·…', 15],
  ['a rare character outside the first plane', '𠮷', 2],
])('the width of %s is what a terminal makes of it', (_what, text, width) => {
  expect(columnsOf(text)).toBe(width);
});

test('padding counts columns, not characters', () => {
  expect([padAfter('修复', 6), padAfter('fix', 6), padAfter('too long', 3)]).toEqual(['修复  ', 'fix   ', 'too long']);
  expect([padBefore('🚀', 4), padBefore('7/20', 6)]).toEqual(['  🚀', '  7/20']);
});

test('a cut text never takes more columns than it may, and no character is cut in half', () => {
  const text = 'Fix 修复测试 for 👨‍👩‍👧‍👦 and e\u0301tudes 𠮷';
  const whole = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  for (let width = 1; width <= 50; width += 1) {
    for (const cut of [keepStart(text, width), keepEnd(text, width)]) {
      expect(columnsOf(cut), cut).toBeLessThanOrEqual(width);
      const clusters = [...new Intl.Segmenter().segment(cut.replace('…', ''))].map(({ segment }) => segment);
      expect(
        clusters.every((cluster) => whole.includes(cluster)),
        cut,
      ).toBe(true);
    }
  }
  expect(keepStart('修复测试', 6)).toBe('修复…');
  expect(keepEnd('修复测试', 6)).toBe('…测试');
  expect(keepStart('修复测试', 8)).toBe('修复测试');
});

test('a text of several words is cut between two of them', () => {
  expect(keepWords('claim refused, but progress', 17)).toBe('claim refused,…');
  expect(keepWords('claim refused, but progress', 19)).toBe('claim refused, but…');
  expect(keepWords('src/a/very/long/path.ts', 10)).toBe('src/a/ver…');
  expect(keepWords('short', 10)).toBe('short');
});

test('no two characters that are measured without the segmenter form one, and none combines', () => {
  const measured = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    simple.test(character),
  );
  expect(measured.length).toBeGreaterThan(500);
  const all = measured.join('');
  expect([...new Intl.Segmenter().segment(all)].map(({ segment }) => segment)).toEqual(measured);
});

test('a character that is measured without the segmenter takes as many columns as with it', () => {
  const measured = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    simple.test(character),
  );
  const differing = measured.filter((character) => columnsOf(character) !== columnsOf(`修${character}`) - 2);
  expect(differing).toEqual([]);
});
