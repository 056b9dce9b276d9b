import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignUuid, createLoopId, isLoopId, loopUuidForm, resolveLoopId, slugLoopId } from './loop-id.ts';

const uuid = 'a1b2c3d4-0000-4000-8000-000000000000';
const schemaPattern = /^ralph-[a-z0-9-]+-[a-f0-9]{8}$/;

test.each([
  ['Fix the failing tests', 'ralph-fix-the-failing-tests-a1b2c3d4'],
  ['  --Fix--  the (tests)!  ', 'ralph-fix-the-tests-a1b2c3d4'],
  ["don't break it", 'ralph-dont-break-it-a1b2c3d4'],
  ['Café naïve Ångström Straße', 'ralph-cafe-naive-angstrom-strasse-a1b2c3d4'],
  ['ﬁx №5', 'ralph-fix-no5-a1b2c3d4'],
  ['修复测试', 'ralph-task-a1b2c3d4'],
  ['修复 3 个测试', 'ralph-task-a1b2c3d4'],
  ['🚀🚀', 'ralph-task-a1b2c3d4'],
  ['../../etc/passwd\0', 'ralph-etc-passwd-a1b2c3d4'],
  ['?!…', 'ralph-task-a1b2c3d4'],
  ['', 'ralph-task-a1b2c3d4'],
  ['abcdefghijklmnopqrstuvwxyz012 cut here', 'ralph-abcdefghijklmnopqrstuvwxyz012-a1b2c3d4'],
])('A146: the task %j gives the id %s', (task, id) => {
  expect(createLoopId(task, uuid)).toBe(id);
});

test('A146: a very long task is cut to its first 30 letters', () => {
  expect(createLoopId('a'.repeat(5_000_000), uuid)).toBe(`ralph-${'a'.repeat(30)}-a1b2c3d4`);
});

test('A034 A146 R10: any task gives an id that fits the schema, ends in the UUID and is safe as a file name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.uuid(), (task, anyUuid) => {
      const id = createLoopId(task, anyUuid.toUpperCase());
      expect(id).toMatch(schemaPattern);
      expect(isLoopId(id)).toBe(true);
      expect(id.length).toBeLessThanOrEqual(45);
      expect(id).not.toMatch(/--|[/.\0]/);
      expect(id.endsWith(`-${anyUuid.slice(0, 8)}`)).toBe(true);
    }),
  );
});

test('R10: something that is not a UUID cannot become part of an id', () => {
  expect(() => createLoopId('x', '../../../')).toThrow(RangeError);
  expect(() => createLoopId('x', 'a1b2')).toThrow(RangeError);
});

test.each([
  ['ralph-x-a1b2c3d4', true],
  ['ralph-fix--a1b2c3d4', true],
  [`ralph-${'x'.repeat(30)}-a1b2c3d4`, true],
  [`ralph-${'x'.repeat(31)}-a1b2c3d4`, true],
  [`ralph-${'x'.repeat(180)}-a1b2c3d4`, true],
  [`ralph-${'x'.repeat(181)}-a1b2c3d4`, false],
  ['ralph-a1b2c3d4', false],
  ['ralph-x-A1B2C3D4', false],
  ['ralph-x-g1b2c3d4', false],
  ['ralph-x/y-a1b2c3d4', false],
  ['ralph-..-a1b2c3d4', false],
  ['ralph-x-a1b2c3d4\n', false],
  ['../ralph-x-a1b2c3d4', false],
])('A146: %j is a loop id: %s', (text, expected) => {
  expect(isLoopId(text)).toBe(expected);
});

test.each([
  ['ralph-mine-00000000', 'ralph-mine-00000000'],
  [
    'ralph-fix-the-tests-of-the-whole-checkout-flow-00000000',
    'ralph-fix-the-tests-of-the-whole-checkout-flow-00000000',
  ],
  ['my-test-fix', 'ralph-my-test-fix-a1b2c3d4'],
  ['ralph-my-test-fix', 'ralph-my-test-fix-a1b2c3d4'],
  ['42', 'ralph-42-a1b2c3d4'],
  ['///', 'ralph-task-a1b2c3d4'],
])('R10: the chosen id %j becomes %s', (custom, id) => {
  expect(slugLoopId(custom, uuid)).toBe(id);
});

test('R10: a chosen loop id and its UUID share their eight digits', () => {
  expect(alignUuid('ralph-mine-deadbeef', uuid)).toBe('deadbeef-0000-4000-8000-000000000000');
});

const loops = [
  { id: 'ralph-fix-tests-a1b2c3d4', uuid: 'a1b2c3d4-0000-4000-8000-000000000000' },
  { id: 'ralph-fix-docs-a1ffffff', uuid: 'a1ffffff-0000-4000-8000-000000000000' },
  { id: 'ralph-fix-docs-a1ffffff-00000000', uuid: '00000000-0000-4000-8000-000000000000' },
];

test.each([
  ['ralph-fix-tests-a1b2c3d4', { kind: 'exact', id: 'ralph-fix-tests-a1b2c3d4' }],
  ['ralph-fix-docs-a1ffffff', { kind: 'exact', id: 'ralph-fix-docs-a1ffffff' }],
  ['A1B2C3D4-0000-4000-8000-000000000000', { kind: 'exact', id: 'ralph-fix-tests-a1b2c3d4' }],
  ['loop_a1b2c3d4-0000-4000-8000-000000000000', { kind: 'exact', id: 'ralph-fix-tests-a1b2c3d4' }],
  ['loop_a1b', { kind: 'prefix', id: 'ralph-fix-tests-a1b2c3d4' }],
  ['fix-t', { kind: 'prefix', id: 'ralph-fix-tests-a1b2c3d4' }],
  ['ralph-fix-t', { kind: 'prefix', id: 'ralph-fix-tests-a1b2c3d4' }],
  [' a1b2 ', { kind: 'prefix', id: 'ralph-fix-tests-a1b2c3d4' }],
  ['a1', { kind: 'ambiguous', candidates: ['ralph-fix-tests-a1b2c3d4', 'ralph-fix-docs-a1ffffff'] }],
  ['fix', { kind: 'ambiguous', candidates: loops.map(({ id }) => id) }],
  ['nothing', { kind: 'none' }],
  ['', { kind: 'none' }],
])('R10: %j is resolved to %j', (query, match) => {
  expect(resolveLoopId(query, loops)).toEqual(match);
});

const nightly = [
  { id: 'ralph-nightly-aaaaaaaa', uuid: 'aaaaaaaa-0000-4000-8000-000000000000', startedAt: '2026-11-02T00:00:00.000Z' },
  { id: 'ralph-nightly-bbbbbbbb', uuid: 'bbbbbbbb-0000-4000-8000-000000000000', startedAt: '2026-11-03T00:00:00.000Z' },
  {
    id: 'ralph-nightly-build-cccccccc',
    uuid: 'cccccccc-0000-4000-8000-000000000000',
    startedAt: '2026-11-04T00:00:00.000Z',
  },
];

test.each([
  ['nightly', { kind: 'name', id: 'ralph-nightly-bbbbbbbb' }],
  ['ralph-nightly', { kind: 'name', id: 'ralph-nightly-bbbbbbbb' }],
  ['nightly-build', { kind: 'name', id: 'ralph-nightly-build-cccccccc' }],
  ['nightly-b', { kind: 'ambiguous', candidates: ['ralph-nightly-bbbbbbbb', 'ralph-nightly-build-cccccccc'] }],
  ['nightl', { kind: 'ambiguous', candidates: nightly.map(({ id }) => id) }],
  ['nightly-a', { kind: 'prefix', id: 'ralph-nightly-aaaaaaaa' }],
])('R10: the name %j means the newest loop of that name, and anything shorter must be unique: %j', (query, match) => {
  expect(resolveLoopId(query, nightly)).toEqual(match);
});

test('R10: without their times, loops of one name are ambiguous', () => {
  const undated = nightly.slice(0, 2).map(({ id, uuid: own }) => ({ id, uuid: own }));
  expect(resolveLoopId('nightly', undated)).toMatchObject({ kind: 'ambiguous' });
});

test('R10: an id in full always means its own loop, whatever other loops exist', () => {
  const loop = fc.tuple(fc.string({ maxLength: 12 }), fc.uuid()).map(([task, anyUuid]) => ({
    id: createLoopId(task, anyUuid),
    uuid: anyUuid,
  }));
  fc.assert(
    fc.property(fc.uniqueArray(loop, { minLength: 1, maxLength: 6, selector: ({ id }) => id }), (all) => {
      for (const { id, uuid: own } of all) {
        for (const query of [id, own, loopUuidForm(own)])
          expect(resolveLoopId(query, all)).toEqual({ kind: 'exact', id });
      }
    }),
  );
});
