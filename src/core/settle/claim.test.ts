import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyPromiseTag, type ClaimQuestion, detectClaim, escapeForRegExp } from './claim.ts';

const done = '<promise>DONE</promise>';

function claims(text: string, question: Partial<ClaimQuestion> = {}): { strict: boolean; anywhere: boolean } {
  const ask = (match: ClaimQuestion['match']) => detectClaim(text, { promise: 'DONE', match, ...question });
  return { strict: ask('strict'), anywhere: ask('anywhere') };
}

const both = { strict: true, anywhere: true };
const neither = { strict: false, anywhere: false };
const mention = { strict: false, anywhere: true };

test.each([
  ['the bare tag', done, both],
  ['the tag after other text', `All tests pass.\n\n${done}`, both],
  ['white space around the tag', `Fixed.\n   ${done}  \n\n\t\n`, both],
  ['a lower-case tag and promise', '<promise>done</promise>', both],
  ['an upper-case tag', '<PROMISE>DONE</PROMISE>', both],
  ['a mixed-case tag and promise', '<Promise>Done</pRoMiSe>', both],
  ['white space inside the tag', '<promise>  DONE\t</promise>', both],
  ['a tag over three lines', 'Fixed.\n<promise>\nDONE\n</promise>\n', both],
  ['lines that end in CR LF', `Fixed.\r\n${done}\r\n`, both],
  ['a tag over three lines that end in CR LF', 'Fixed.\r\n<promise>\r\nDONE\r\n</promise>\r\n', both],
  ['a letter before it that grows in lower case', `İİİİİİ bitti.\n${done}`, both],
  ['two claims', `${done}\n${done}`, both],
  ['a fenced log after the claim', `${done}\n\`\`\`\nok 1\n\`\`\`\n`, both],
  ['a claim after a closed fence', `\`\`\`\ncode\n\`\`\`\n${done}`, both],
  ['a claim after a fence of tildes that holds backticks', `~~~\n\`\`\`\n~~~\n${done}`, both],
  ['inline code of three backticks, which opens no fence', `\`\`\`npm test\`\`\` passes\n${done}`, both],
  ['more text after the tag', `${done}\nBut first I will tidy up.`, mention],
  ['an announcement in a sentence', `I will print ${done} when all is well.`, mention],
  ['a sentence that ends in the tag', `When all is well I print ${done}`, mention],
  ['a quotation', `> ${done}`, mention],
  ['a list item', `- ${done}`, mention],
  ['inline code', `\`${done}\``, mention],
  ['a fenced example', `\`\`\`\n${done}\n\`\`\``, mention],
  ['a fenced example of tildes', `~~~text\n${done}\n~~~`, mention],
  ['a fence that is never closed', `\`\`\`\n${done}`, mention],
  ['a fence that a shorter one does not close', `\`\`\`\`\n\`\`\`\n${done}`, mention],
  ['a fence that another mark does not close', `\`\`\`\n~~~\n${done}`, mention],
  ['a fence that a mark with words does not close', `\`\`\`\n\`\`\` js\n${done}`, mention],
  ['an indented fence', `   \`\`\`\n${done}`, mention],
  ['a fence that ends in CR LF', `\`\`\`\r\n${done}\r\n\`\`\`\r\n`, mention],
  ['a claim taken back by another tag', `${done}\n<promise>NOT DONE</promise>`, mention],
  ['a negation inside the tag', '<promise>NOT DONE</promise>', neither],
  ['a dot inside the tag', '<promise>DONE.</promise>', neither],
  ['a dot after the tag', `${done}.`, mention],
  ['another promise', '<promise>FINISHED</promise>', neither],
  ['the promise without a tag', 'DONE', neither],
  ['a tag that is not closed', '<promise>DONE', neither],
  ['a tag that is not opened', 'DONE</promise>', neither],
  ['an empty tag', '<promise></promise>', neither],
  ['an empty text', '', neither],
])('A184, B131: %s', (_case, text, expected) => {
  expect(claims(text)).toEqual(expected);
});

test.each(['', ' ', '\n\t'])('an empty promise (%j) is never claimed', (promise) => {
  expect(claims('<promise></promise>', { promise })).toEqual(neither);
  expect(claims('<promise> </promise>', { promise })).toEqual(neither);
});

test('A184: white space between the words of a promise is as flexible as that around it', () => {
  expect(claims('<promise>ALL  TESTS\nPASS</promise>', { promise: ' ALL TESTS PASS ' })).toEqual(both);
  expect(claims('<promise>ALLTESTS PASS</promise>', { promise: 'ALL TESTS PASS' })).toEqual(neither);
});

test.each([...'\\^$.*+?()[]{}|/-&#~!,:=<>@%"\'`'])('A185: the character %s in a promise is literal', (character) => {
  const promise = `A${character}B`;
  expect(claims(`<promise>${promise}</promise>`, { promise })).toEqual(both);
  expect(claims('<promise>AB</promise>', { promise })).toEqual(neither);
  expect(claims('<promise>AxB</promise>', { promise })).toEqual(neither);
});

test('A185: whatever the promise, its own tag claims it and a longer one does not', () => {
  const promise = fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== '' && !/promise>/i.test(text));
  fc.assert(
    fc.property(promise, (text) => {
      expect(claims(`Ready.\n<promise>${text}</promise>`, { promise: text })).toEqual(both);
      expect(claims(`<promise>${text}x</promise>`, { promise: text })).toEqual(neither);
      expect(claims(`<promise>x ${text}</promise>`, { promise: text })).toEqual(neither);
    }),
  );
});

test('A185: an escaped text matches itself and nothing else, even inside a character class', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, other) => {
      for (const flags of ['', 'u']) {
        const pattern = new RegExp(`^${escapeForRegExp(text)}$`, flags);
        expect(pattern.test(text)).toBe(true);
        expect(pattern.test(other)).toBe(other === text);
      }
    }),
  );
  expect(new RegExp(`[${escapeForRegExp('a-z')}]`, 'u').test('m')).toBe(false);
});

test.each([
  ['<promise>DONE</promise>', 'DONE'],
  ['text <PROMISE>a b</PROMISE> text', 'a b'],
  ['<promise>\nanything\n</promise>', '\nanything\n'],
  ['<promise></promise>', ''],
  ['<promise>first</promise><promise>second</promise>', 'first'],
])('A186: the generic pattern finds any tag in %j', (text, inner) => {
  expect(anyPromiseTag.exec(text)?.[1]).toBe(inner);
});

test('A186: the generic pattern finds no tag where there is none', () => {
  expect(anyPromiseTag.test('<promise>open')).toBe(false);
  expect(anyPromiseTag.test('promise')).toBe(false);
});

const instruction = `- Only when everything is done, end your last message with the line ${done} on its own.`;

test.each([
  ['an agent like cat that repeats a prompt with the instruction', instruction, (prompt: string) => prompt, neither],
  ['an instruction that is repeated alone', `Hello\n${instruction}\nTask`, () => instruction, neither],
  ['an instruction that is repeated with other indentation', instruction, () => `   ${instruction}\r\n`, neither],
  [
    'an echo of a task that ends in a bare tag',
    `## Task\n\nFix it, then print\n${done}\n`,
    (prompt: string) => prompt,
    neither,
  ],
  [
    'an echo of a task that ends in a tag over three lines',
    'Fix it, then print\n<promise>\nDONE\n</promise>\n',
    (prompt: string) => prompt,
    neither,
  ],
  [
    'an echo whose lines end otherwise than those of the prompt',
    `Fix it, then print\n${done}\n`,
    (prompt: string) => prompt.replaceAll('\n', '\r\n'),
    neither,
  ],
  [
    'an echo with an honest claim after it',
    `Fix it, then print\n${done}\n`,
    (prompt: string) => `${prompt}\nI fixed it.\n${done}\n`,
    both,
  ],
  [
    'an honest claim although the task has the bare tag',
    `Fix it, then print\n${done}\n`,
    () => `Fixed.\n${done}`,
    both,
  ],
  ['a bare claim although the task has the bare tag', `Fix it, then print\n${done}\n`, () => done, both],
  ['a tag of its own words beside a repeated one', instruction, () => `${instruction}\nI say ${done}`, mention],
])('B130: text from the prompt is no claim: %s', (_case, prompt, answer, expected) => {
  expect(claims(answer(prompt), { prompt })).toEqual(expected);
});

test('B130: repeating any part of a prompt whose tag is inside a sentence is no claim', () => {
  const words = fc.array(fc.constantFrom('Fix', 'it', '\n', '```', '- ', '> ', '\n\n'), { maxLength: 20 });
  fc.assert(
    fc.property(words, words, (before, after) => {
      const prompt = `${before.join(' ')}\n${instruction}\n${after.join(' ')}`;
      expect(claims(prompt, { prompt })).toEqual(neither);
    }),
  );
});
