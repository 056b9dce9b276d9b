import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LoopError } from '../../base/index.ts';
import type { TemplateValue } from './expression.ts';
import { assertHelpersExist, renderTemplate, type TemplateScope } from './render-template.ts';
import { type PromptPart, parseTemplate } from './template.ts';
import { buildTemplate, variablesOf } from './template-tree.ts';

type Values = Readonly<Record<string, TemplateValue>>;

function nodesOf(text: string) {
  const parts = parseTemplate(text, { template: 'task.md' });
  return buildTemplate(parts.filter((part): part is PromptPart => !('include' in part)));
}

function render(text: string, values: Values = {}, more: Partial<TemplateScope> = {}): string {
  const nodes = nodesOf(text);
  assertHelpersExist(nodes, more.helpers);
  return renderTemplate(nodes, { values, ...more });
}

function refusal(text: string, values: Values = {}, more: Partial<TemplateScope> = {}): string {
  try {
    return `no refusal: ${render(text, values, more).slice(0, 50)}`;
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return `${error.failure.code} ${error.failure.message}`;
  }
}

const people: Values = {
  people: [
    { name: 'Ada', tags: ['x', 'y'] },
    { name: 'Bob', tags: [] },
  ],
  none: [],
};

test.each<[string, string, Values, string]>([
  ['a variable', 'Hi {{name}}!', { name: 'Ada' }, 'Hi Ada!'],
  ['a path', '{{a.b.c}} {{list.1}} {{list.9}}', { a: { b: { c: 7 } }, list: ['x', 'y'] }, '7 y '],
  ['a missing variable', '<{{x}}{{x.y.z}}>', {}, '<>'],
  ['a condition', '{{#if a}}yes{{else}}no{{/if}}', { a: 'x' }, 'yes'],
  ['a condition without else', '{{#if a}}yes{{/if}}.', {}, '.'],
  ['a loop', '{{#each people as p}}{{p.name}} {{/each}}', people, 'Ada Bob '],
  [
    'the place in a loop',
    '{{#each people as p}}{{@index}}{{#if @first}}f{{/if}}{{#if @last}}l{{/if}} {{/each}}',
    people,
    '0f 1l ',
  ],
  [
    'loops and conditions in each other',
    '{{#each people as p}}{{p.name}}:{{#each p.tags as t}}{{t}}@{{@index}}{{#if @last}}.{{else}},{{/if}}{{/each}}{{@index}};{{/each}}',
    people,
    'Ada:x@0,y@1.0;Bob:1;',
  ],
  ['a loop over nothing', '<{{#each none as p}}x{{/each}}{{#each gone as p}}x{{/each}}>', people, '<>'],
  ['a loop over a mapping', '{{#each m as v}}{{@key}}={{v}} {{/each}}', { m: { a: 1, b: 2 } }, 'a=1 b=2 '],
  ['an inner name before an outer one', '{{p}}{{#each l as p}}{{p}}{{/each}}{{p}}', { p: 'o', l: ['i'] }, 'oio'],
  ['escaped braces', '\\{{name}} \\{{#if x}} {{name}}', { name: 'A' }, '{{name}} {{#if x}} A'],
  ['three braces', '{{{name}}}', { name: 'A' }, '{{{name}}}'],
  ['expressions of GitHub Actions', '${{ secrets.KEY }} ${{name}}', { name: 'A' }, '${{ secrets.KEY }} ${{name}}'],
  ['a list and a mapping as text', '{{l}} {{m}}', { l: [1, 'a'], m: { a: null } }, '[1,"a"] {"a":null}'],
])('B009 B010 B012 B013: %s', (_case, text, values, expected) => {
  expect(render(text, values)).toBe(expected);
});

test.each<[TemplateValue, boolean]>([
  ['', false],
  [0, false],
  [false, false],
  [[], false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['0', true],
  [' ', true],
  [-1, true],
  [true, true],
  [[''], true],
  [{ a: null }, true],
])('B010: %j is %s', (value, expected) => {
  expect(render('{{#if v}}true{{else}}false{{/if}}', { v: value })).toBe(String(expected));
});

test.each<[string, string]>([
  ['{{uppercase name}}', 'ADA'],
  ['{{lowercase name}}', 'ada'],
  ['<{{trim padded}}>', '<x y>'],
  ['{{default gone "nobody"}} {{default empty 3}} {{default name "x"}} {{default zero 7}}', 'nobody 3 Ada 0'],
  ['{{length name}} {{length list}} {{length gone}} {{length emoji}}', '3 3 0 1'],
  ['{{join list}} {{join list " + "}} {{join name}}', 'a, b, 3 a + b + 3 '],
  [
    '{{dateformat at}} {{dateformat at "DD.MM.YYYY HH:mm:ss"}} {{dateformat 0 "YYYY"}}',
    '2026-03-01 01.03.2026 09:05:07 1970',
  ],
  ['<{{dateformat name}}>', '<>'],
  ['{{add iteration 1}} {{add 1 2 3.5}} {{subtract 10 iteration}} <{{add name 1}}>', '8 6.5 3 <>'],
  ['{{uppercase (default gone (join list "-"))}}', 'A-B-3'],
  ['{{#if (subtract iteration 7)}}later{{else}}seventh{{/if}}', 'seventh'],
])('B011: %s', (text, expected) => {
  const list = ['a', 'b', 3];
  const values = { name: 'Ada', padded: '  x y\n', empty: '', zero: 0, list, emoji: '😀', iteration: '7' };
  expect(render(text, { ...values, at: '2026-03-01T09:05:07Z' })).toBe(expected);
});

test('B011: helpers of a program are used, but replace none of the others', () => {
  const helpers = {
    shout: (value: TemplateValue) => `${JSON.stringify(value)}!`,
    uppercase: () => 'replaced',
    boom: () => {
      throw new Error('no luck');
    },
    odd: () => (() => 'a function') as unknown as TemplateValue,
    round: () => {
      const self: Record<string, TemplateValue> = {};
      self['self'] = self;
      return self;
    },
  };
  expect(render('{{shout name}} {{uppercase name}} <{{odd 1}}>', { name: 'x' }, { helpers })).toBe('"x"! X <>');
  expect(refusal('\n{{boom 1}}', {}, { helpers })).toBe(
    'PROMPT_TEMPLATE_INVALID The template at task.md:2 cannot be used: the helper "boom" failed: no luck.',
  );
  expect(refusal('{{round 1}}', {}, { helpers })).toContain('the helper "round" failed: Converting circular');
});

test.each<[string, string]>([
  ['{{#if a}}x', 'it is never closed with {{/if}}'],
  ['{{#each a as b}}{{/if}}', 'no such block is open'],
  ['x{{/if}}', 'no such block is open'],
  ['{{else}}', 'there is no {{#if}} that it belongs to'],
  ['{{#if a}}{{else}}{{else}}{{/if}}', 'there is no {{#if}} that it belongs to'],
  ['{{#if}}x{{/if}}', 'only #if and #each are blocks'],
  ['{{#unless a}}x{{/unless}}', 'only {{#if VALUE}} and {{#each LIST as NAME}} are blocks'],
  ['{{#each a}}x{{/each}}', 'only {{#if VALUE}} and {{#each LIST as NAME}} are blocks'],
  ['{{}}', 'it is empty'],
  ['{{a "b}}', 'it has a quotation mark without its counterpart'],
  ['{{a-b}}', '"a-b" is not a name, a number or a text in quotation marks'],
  ['{{upper name}}', 'there is no helper "upper"'],
  ['{{constructor "return 1"}}', 'there is no helper "constructor"'],
  ['{{uppercase (trim a}}', 'a parenthesis is not closed'],
  ['{{uppercase a)}}', '")" is one word too many'],
  [`{{uppercase ${'(trim '.repeat(30)}a${')'.repeat(30)}}}`, 'it is nested more than 20 levels deep'],
  [`${'{{#if a}}'.repeat(60)}${'{{/if}}'.repeat(60)}`, 'blocks are nested more than 50 levels deep'],
  [`{{add ${'1 '.repeat(300)}}}`, 'it has more than 200 words'],
])('B013: %s is refused with its place', (text, why) => {
  expect(refusal(`one\n${text}`)).toMatch(/^PROMPT_TEMPLATE_INVALID The template at task\.md:2 cannot be used: /u);
  expect(refusal(`one\n${text}`)).toContain(why);
});

test('B012: in a strict template every value must be there, except where the template asks whether it is', () => {
  const strict = { strict: true };
  expect(refusal('a\n{{x.y}}', { x: {} }, strict)).toBe(
    'PROMPT_VALUE_MISSING The template at task.md:2 uses x.y, which has no value.',
  );
  expect(refusal('{{#each x as y}}{{/each}}', {}, strict)).toContain('uses x');
  expect(refusal('{{uppercase x}}', {}, strict)).toContain('uses x');
  expect(render('{{#if x}}a{{else}}b{{/if}}{{default x "c"}}{{empty}}', { empty: '' }, strict)).toBe('bc');
});

test('B012: names that every object inherits are no values', () => {
  const text =
    '{{constructor}}{{__proto__}}{{toString}}{{a.constructor.name}}{{a.__proto__.x}}{{l.length}}{{s.length}}{{l.map}}';
  expect(refusal('{{__proto__}}')).toContain('"__proto__" is not a name');
  expect(render(text.replace('{{__proto__}}', ''), { a: {}, l: [1], s: 'x' })).toBe('');
  const polluted = JSON.parse('{"__proto__":{"admin":true},"constructor":"c"}') as Values;
  expect(render('{{a.admin}}{{a.constructor}}{{#each a as x}}{{@key}}{{/each}}', { a: polluted })).toBe(
    'c__proto__constructor',
  );
});

const anyPiece = fc.oneof(
  fc.constantFrom('{{', '}}', '{{name}}', '{{#if x}}', '{{/if}}', '{{else}}', '{{include:/etc/passwd}}', '\\{{', '$&'),
  fc.constantFrom('<promise>DONE</promise>', '\n## Task\n', '[SYSTEM DIRECTIVE: RALPHD LOOP 1/2]', '{{__proto__}}'),
  fc.string(),
);
const anyText = fc.array(anyPiece).map((pieces) => pieces.join(''));

test('B012: whatever a value contains, it is inserted unchanged and nothing in it is interpreted', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyText), (name, list) => {
      const text = '<{{name}}|{{#if name}}{{name}}{{/if}}|{{#each list as each}}{{each}},{{/each}}{{join list "+"}}>';
      const expected = `<${name}|${name}|${list.map((each) => `${each},`).join('')}${list.join('+')}>`;
      expect(render(text, { name, list })).toBe(expected);
    }),
  );
});

test('B012: whatever a template contains, it is rendered or refused, at once', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      refusal(text, { name: 'x', x: ['y'] });
    }),
  );
});

const largeMap = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, index]));

test.each<[string, string, Values]>([
  ['a loop in a loop in a loop', '{{#each l as a}}{{#each l as b}}{{#each l as c}}{{/each}}{{/each}}{{/each}}', {}],
  ['a text that is repeated', '{{#each l as a}}{{big}}{{/each}}', {}],
  ['a list that is joined', '{{join l big}}', {}],
  ['a helper on a long text', '{{#each l as a}}{{#if (uppercase big)}}{{/if}}{{/each}}', {}],
  ['a condition on a large mapping', '{{#each l as a}}{{#if map}}{{/if}}{{/each}}', { map: largeMap }],
  ['a helper on a long list', '{{#each l as a}}{{#if (join l "")}}{{/if}}{{/each}}', {}],
])('no template takes much time or memory: %s', (_case, text, values) => {
  const l = Array.from({ length: 2_000 }, () => 'x'.repeat(100));
  const began = performance.now();
  const found = refusal(text, { l, big: 'y'.repeat(10_000_000), ...values });
  expect(found).toMatch(/more than 200000 steps|longer than 8388608 characters|the text is too long/u);
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('endless braces, quotation marks and parentheses take no more time than other text', () => {
  const odd = ['{{'.repeat(200_000), '{{"'.repeat(100_000), `{{${'('.repeat(500_000)}}}`, `{{${"'".repeat(500_001)}}}`];
  const began = performance.now();
  for (const text of odd) refusal(text);
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('B005: the variables of a template are those that it does not define itself', () => {
  const text = '{{a.b}} {{uppercase (default c d)}} {{#each e as f}}{{f.x}} {{@index}} {{g}}{{/each}} {{#if a}}{{/if}}';
  expect(variablesOf(nodesOf(text))).toEqual(['a', 'c', 'd', 'e', 'g']);
});
