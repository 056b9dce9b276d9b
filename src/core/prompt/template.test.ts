import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bindVariables, fillIn, type PromptPart, parseTemplate, variablesIn } from './template.ts';

/** The parts of a text that includes nothing. */
function parts(text: string): readonly PromptPart[] {
  return parseTemplate(text).flatMap((part) => ('include' in part ? [] : [part]));
}

test.each([
  ['a variable', 'a {{name}} z', 'a VALUE z'],
  ['a variable with blanks', '{{ name }}{{\tname}}', 'VALUEVALUE'],
  ['a variable beside another', '{{name}}{{other}}', 'VALUE{{other}}'],
  ['a variable inside other braces', '{"a":{{name}}}', '{"a":VALUE}'],
  ['a brace before a variable', '{{{name}} {', '{VALUE {'],
  ['an unknown name', '{{PROMPT}} {{ user.name }} {{#each x}}', '{{PROMPT}} {{ user.name }} {{#each x}}'],
  ['an escaped variable', '\\{{name}} \\{{ other }}', '{{name}} {{ other }}'],
  ['an escaped include', '\\{{include:x.md}}', '{{include:x.md}}'],
  ['a backslash before something else', '\\{{a b}} \\{x} \\\\', '\\{{a b}} \\{x} \\\\'],
  ['a backslash before a single brace', '\\{{{name}}', '\\{VALUE'],
  ['three braces, as other languages have them', '{{{name}}} \\{{{name}}}', '{{{name}}} \\{{{name}}}'],
  ['a name over two lines', '{{na\nme}} {{\nname}}', '{{na\nme}} {{\nname}}'],
  ['braces that do not match', '{{name} {name}} }}{{ {{', '{{name} {name}} }}{{ {{'],
  ['an include without a path', '{{include:}} {{include: }} {{include}}', '{{include:}} {{include: }} {{include}}'],
  ['names that every object has', '{{constructor}} {{toString}}', '{{constructor}} {{toString}}'],
])('B009 B012: %s', (_case, text, expected) => {
  expect(fillIn(parts(text), { name: 'VALUE' })).toBe(expected);
});

test('B003: an include is found with its path and its line', () => {
  expect(parseTemplate('a\n{{include:b.md}}\r\n\n {{ include: c d.txt }}', { firstLine: 4 })).toEqual([
    { text: 'a\n' },
    { include: 'b.md', line: 5 },
    { text: '\r\n\n ' },
    { include: 'c d.txt', line: 7 },
  ]);
});

test('B005: the variables of a text can be listed, each once', () => {
  expect(variablesIn(parts('{{b}} {{a}} \\{{c}} {{b}} {{{d}}}'))).toEqual(['b', 'a']);
});

const anyPiece = fc.oneof(
  fc.constantFrom('{{', '}}', '{', '}', '\\', 'name', '{{name}}', '\\{{name}}', '{{other}}', '$&', '$$', '\n', ' '),
  fc.string(),
);
const anyText = fc.array(anyPiece).map((pieces) => pieces.join(''));

test('B012: whatever the values, they are inserted unchanged and never scanned again', () => {
  fc.assert(
    fc.property(anyText, anyText, (name, other) => {
      const text = '<{{name}}|{{other}}|{{name}}|\\{{name}}>';
      expect(fillIn(parts(text), { name, other })).toBe(`<${name}|${other}|${name}|{{name}}>`);
      const later = fillIn(bindVariables(parts(text), { name }), { other });
      expect(later).toBe(`<${name}|${other}|${name}|{{name}}>`);
    }),
  );
});

test('B012: a text without values loses nothing but the backslashes that escape', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const withoutIncludes = text.replaceAll('include:', '');
      const expected = withoutIncludes.replace(/\\(?=\{\{[^{}\r\n]*\}\})/gu, (slash, index: number) =>
        isEscape(withoutIncludes.slice(index + 1)) ? '' : slash,
      );
      expect(fillIn(parts(withoutIncludes), {})).toBe(expected);
    }),
  );
});

/** Whether a text begins with a variable. */
function isEscape(text: string): boolean {
  return /^\{\{\s*[A-Za-z][A-Za-z0-9_]{0,63}\s*\}\}/u.test(text);
}

test('endless braces take no more time than other text', () => {
  const text = `${'{{include:'.repeat(100_000)}${' '.repeat(1_000_000)}${'{'.repeat(1_000_000)}`;
  expect(fillIn(parts(text), {})).toBe(text);
});
