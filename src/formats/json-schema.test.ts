import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aiwgKinds, aiwgProblems, aiwgSchemas } from './aiwg/validate.ts';
import { type DataSchema, problemsIn } from './json-schema.ts';
import { exampleState } from './testing/aiwg-example.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/** The verdict of another validator, which ignores `nullable` as 2020-12 wants. */
function ajvAccepts(schema: DataSchema): (value: unknown) => boolean {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === 'nullable' ? undefined : value));
  const validate = ajv.compile(JSON.parse(text) as object);
  return (value) => validate(value);
}

/** Values that are valid here and there, and wrong in some place. */
function valueFor(schema: DataSchema): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, '', 'x', -1, 0, 1.5, true, [], {}, '2026-02-30T00:00:00Z');
  return fc.oneof({ weight: 80, arbitrary: likely(schema) }, { weight: 1, arbitrary: odd });
}

const texts = ['ralph-fix-tests-a1b2c3d4', '2.0.0', '2.11.3', '.aiwg/ralph/loops/a/state.json', 'x'];

function likely({
  type,
  properties = {},
  required = [],
  items,
  enum: words,
  format,
  pattern,
}: DataSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object': {
      const parts = Object.entries(properties).map(([name, part]) => [name, valueFor(part)] as const);
      return fc.record(Object.fromEntries(parts), { requiredKeys: [...required] });
    }
    case 'array':
      return fc.array(items === undefined ? fc.anything() : valueFor(items), { maxLength: 6 });
    case 'string':
      if (words !== undefined) return fc.constantFrom(...words);
      if (format !== undefined) return fc.constantFrom('2026-02-02T21:00:00Z', '2026-02-02T21:00:00.5+01:00');
      return fc.constantFrom(...texts.filter((text) => new RegExp(pattern ?? '', 'u').test(text)));
    case 'boolean':
      return fc.boolean();
    default:
      return fc.integer({ min: 0, max: 120 });
  }
}

test.each(aiwgKinds)('A144-A162: ralphd and a plain 2020-12 validator agree about every %s document', (kind) => {
  const accepts = ajvAccepts(aiwgSchemas[kind]);
  fc.assert(
    fc.property(valueFor(aiwgSchemas[kind]), (value) => {
      expect(aiwgProblems(value, kind, 'pure').length === 0).toBe(accepts(value));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['a', false],
  ['2026-02-02', false],
  ['2026-02-02T21:00:00', false],
  ['2026-02-02T24:00:00Z', false],
  ['2026-02-30T21:00:00Z', false],
  ['2026-13-01T21:00:00Z', false],
  ['2026-02-02T21:00:00Z', true],
  ['2026-02-02t21:00:00.123456z', true],
  ['2024-02-29T23:59:59-23:59', true],
])('A150: %j is a date-time: %s', (text, isValid) => {
  expect(problemsIn(text, { type: 'string', format: 'date-time' }, 'pure')).toHaveLength(isValid ? 0 : 1);
});

test('A176: the example of the schema is valid where nullable is known; a pure reading names each null', () => {
  expect(aiwgProblems(exampleState, 'state', 'nullable')).toEqual([]);
  expect(aiwgProblems(exampleState, 'state', 'pure')).toEqual([
    { pointer: '/completed_at', message: 'must be a string, but is null' },
  ]);
});

test('a problem names its place as a JSON pointer, however deep it is', () => {
  const schema: DataSchema = {
    type: 'object',
    required: ['a/b'],
    properties: { 'c~d': { type: 'array', maxItems: 1, items: { type: 'integer', minimum: 3, maximum: 5 } } },
  };
  expect(problemsIn({ 'c~d': [4, 'x', 2, 9] }, schema, 'pure')).toEqual([
    { pointer: '', message: 'lacks "a/b"' },
    { pointer: '/c~0d', message: 'must have at most 1 elements, but has 4' },
    { pointer: '/c~0d/1', message: 'must be an integer, but is a string' },
    { pointer: '/c~0d/2', message: 'must be at least 3, but is 2' },
    { pointer: '/c~0d/3', message: 'must be at most 5, but is 9' },
  ]);
});

test('inherited names never count as members', () => {
  expect(problemsIn({}, { type: 'object', required: ['toString'] }, 'pure')).toHaveLength(1);
});
