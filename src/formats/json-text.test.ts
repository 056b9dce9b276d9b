import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addToJson, removeFromJson } from './json-text.ts';

test('an item is added in the style of the document, and everything else stays as it is', () => {
  const text = '{\n    "n": 1.0,\n    "hooks": { "Stop": [ {"a":1} ] },\n    "last":"\\u00e9"\n}\n';
  const added = addToJson(text, ['hooks', 'Stop'], { value: { b: 2 } });
  expect(JSON.parse(added)).toEqual({ n: 1, hooks: { Stop: [{ a: 1 }, { b: 2 }] }, last: 'é' });
  expect(added).toContain('"n": 1.0');
  expect(added).toContain('"last":"\\u00e9"\n}\n');
});

test('a member is added to an empty document, to one on a single line and to one with tabs', () => {
  expect(addToJson('{}\n', [], { name: 'a', value: 1 })).toBe('{\n  "a": 1\n}\n');
  expect(addToJson('{"b":[]}', [], { name: 'a', value: [1] })).toBe('{"b":[],"a":[1]}');
  expect(addToJson('{\n\t"b": 1\n}', [], { name: 'a', value: [1] })).toBe('{\n\t"b": 1,\n\t"a": [\n\t\t1\n\t]\n}');
});

test('whatever the document, adding and removing again leaves its bytes as they were', () => {
  const indent = fc.constantFrom('  ', '    ', '\t', undefined);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), indent, (document, space) => {
      fc.pre(!Object.hasOwn(document, 'added') && Object.keys(document).length > 0);
      const text = JSON.stringify(document, undefined, space);
      const added = addToJson(text, [], { name: 'added', value: { x: ['y'] } });
      expect(JSON.parse(added)).toEqual({ ...(JSON.parse(text) as object), added: { x: ['y'] } });
      expect(removeFromJson(added, ['added'])).toBe(text);
    }),
  );
});

test('the first, a middle and the only item are removed with their comma', () => {
  expect(removeFromJson('[1, 2, 3]', [0])).toBe('[2, 3]');
  expect(removeFromJson('[1, 2, 3]', [1])).toBe('[1, 3]');
  expect(removeFromJson('{"a": [ 1 ]}', ['a', 0])).toBe('{"a": []}');
  expect(removeFromJson('{"a": 1}', ['b'])).toBe('{"a": 1}');
});
