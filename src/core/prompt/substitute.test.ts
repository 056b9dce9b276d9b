import fc from 'fast-check';
import { expect, test } from 'vitest';
import { substitute } from './substitute.ts';

test.each([
  ['the whole match', '$&'],
  ['a dollar sign', '$$'],
  ['the text before it', '$`'],
  ['the text after it', "$'"],
  ['a group', '$1 $<name>'],
  ['another placeholder', '{{MAX}} {{PROMPT}}'],
  ['itself', '{{PROMPT}}'],
])('A193: a value that spells %s is inserted unchanged', (_case, value) => {
  expect(substitute('a {{PROMPT}} z', { PROMPT: value, MAX: '9' })).toBe(`a ${value} z`);
});

test('A193: every occurrence is replaced, and a name without a value stays', () => {
  expect(substitute('{{A}} {{B}} {{A}} {{C}} {{c}} { {A} }', { A: '1', B: '' })).toBe('1  1 {{C}} {{c}} { {A} }');
});

test('A193: names that every object inherits are not values', () => {
  expect(substitute('{{CONSTRUCTOR}} {{__PROTO__}}', {})).toBe('{{CONSTRUCTOR}} {{__PROTO__}}');
});

test('A193: whatever the values, they are in the result unchanged and in order', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom('$&', '$$', '{{A}}', '{{B}}', '{{', '}}', '\\'));
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(substitute('<{{A}}|{{B}}|{{A}}>', { A: a, B: b })).toBe(`<${a}|${b}|${a}>`);
    }),
  );
});
