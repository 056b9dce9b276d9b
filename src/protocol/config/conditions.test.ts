import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conditionKeys } from './conditions.ts';
import { configJsonSchema } from './json-schema.ts';
import type { ConditionInput } from './loop-config-input.ts';
import { configSchema, encodeConfig } from './schema.ts';
import { listSettings } from './setting-list.ts';

const leaves: readonly ConditionInput[] = [
  { type: 'max_iterations', count: 5 },
  { type: 'max_duration', duration: '1h 30m' },
  { type: 'test_failure_streak', count: 2 },
  { type: 'all_tests_pass' },
  { type: 'specific_tests_pass', tests: ['it adds', 'it takes away'] },
  { type: 'no_progress', count: 3 },
  { type: 'file_created', path: 'out/report.txt' },
  { type: 'file_contains', path: '..notes', text: 'BLOCKED' },
  { type: 'output_pattern', pattern: 'I am (stuck|lost)' },
  { type: 'on_error' },
  { type: 'on_error', pattern: 'quota' },
  { type: 'custom_script', run: './enough.sh --now' },
  { type: 'custom_script', run: ['./enough', '$x'], timeout: '1m' },
  { type: 'user_signal' },
  { type: 'user_signal', path: 'stop-it' },
  { type: 'never' },
];

const { condition: anyCondition } = fc.letrec<{ condition: ConditionInput }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, depthSize: 'max' },
    fc.constantFrom(...leaves),
    fc.record({
      type: fc.constantFrom('all', 'any'),
      conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('not'), condition: tie('condition') }),
  ),
}));

function withStop(...stop: readonly unknown[]) {
  return { stopConditions: { stop: stop as ConditionInput[] } };
}

function problemOf(...stop: readonly unknown[]): string | undefined {
  const issue = configSchema.safeParse(withStop(...stop)).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

test('B038: there is a condition of every kind, and each is written and read back unchanged', () => {
  expect([...conditionKeys.keys()].toSorted()).toEqual(
    [...new Set(leaves.map(({ type }) => type)), 'all', 'any', 'not'].toSorted(),
  );
  fc.assert(
    fc.property(fc.array(anyCondition, { maxLength: 3 }), (stop) => {
      fc.pre(configSchema.safeParse(withStop(...stop)).success);
      const config = configSchema.parse(withStop(...stop));
      expect(configSchema.parse(JSON.parse(JSON.stringify(encodeConfig(config))))).toEqual(config);
    }),
  );
});

test('B038: what a condition leaves out has a default', () => {
  const config = configSchema.parse(withStop({ type: 'user_signal' }, { type: 'custom_script', run: 'x' }));
  expect(config.stopConditions.stop).toEqual([
    { type: 'user_signal', path: 'ralphd.stop' },
    { type: 'custom_script', run: 'x', timeout: 5_000 },
  ]);
  expect(encodeConfig(config).stopConditions?.stop?.[1]).toMatchObject({ timeout: '5s' });
});

test('B038: the JSON Schema accepts what the schema accepts', () => {
  const validate = new Ajv2020({ strict: true, strictTuples: false }).compile(configJsonSchema());
  fc.assert(
    fc.property(anyCondition, (condition) => {
      expect(validate(withStop(condition))).toBe(true);
    }),
  );
  expect(validate(withStop({ type: 'weather' }))).toBe(false);
  expect(validate(withStop({ type: 'not', condition: { type: 'file_created' } }))).toBe(false);
});

test('every set of conditions is a setting of its own', () => {
  const forms = Object.fromEntries(listSettings().map(({ path, form }) => [path, form]));
  expect(forms).toMatchObject({
    'stopConditions.stop': 'list',
    'stopConditions.success': 'list',
    'stopConditions.failure': 'list',
    'stopConditions.scriptTimeout': 'text',
  });
});

const deep = (levels: number): ConditionInput =>
  levels === 1 ? { type: 'never' } : { type: 'not', condition: deep(levels - 1) };

test('B038: conditions are nested at most five deep, and there are at most fifty', () => {
  expect(problemOf(deep(5))).toBeUndefined();
  expect(problemOf(deep(6))).toBe('stopConditions.stop: a list of conditions nested at most 5 levels deep');
  const many = (count: number) => Array.from({ length: count }, () => ({ type: 'never' }) as const);
  const input = (count: number) => ({
    stopConditions: { stop: many(20), success: many(20), failure: many(count), customScripts: ['x'] },
  });
  expect(configSchema.safeParse(input(9)).success).toBe(true);
  expect(configSchema.safeParse(input(10)).error?.issues[0]?.message).toBe(
    'a mapping with at most 50 conditions and scripts in all',
  );
});

test.each<[string, object, string]>([
  ['no iterations', { type: 'max_iterations', count: 0 }, 'stop.0.count: a whole number of at least 1'],
  ['no duration', { type: 'max_duration', duration: '0' }, 'stop.0.duration: a duration of at least 1ms'],
  ['no tests', { type: 'specific_tests_pass', tests: [] }, 'stop.0.tests: a list of at least one test'],
  ['an absolute path', { type: 'file_created', path: '/etc/passwd' }, 'a path inside the working directory'],
  ['a path that leads out', { type: 'user_signal', path: 'a/../../b' }, 'a path inside the working directory'],
  ['a path that hides the way out', { type: 'file_created', path: 'a\n/..' }, 'a path inside the working directory'],
  ['nothing to look for', { type: 'output_pattern' }, 'stop.0: with either "text" or "pattern"'],
  ['two things to look for', { type: 'file_contains', path: 'x', text: 'a', pattern: 'b' }, 'with either "text" or'],
  ['nothing inside', { type: 'any', conditions: [] }, 'stop.0.conditions: a list of at least one condition'],
  ['no time', { type: 'custom_script', run: 'x', timeout: '0' }, 'stop.0.timeout: a duration of at least 1ms'],
  ['a slip inside', { type: 'not', condition: { type: 'never', count: 1 } }, 'stop.0.condition: '],
  ['no type', { path: 'x' }, 'stop.0.type: one of max_iterations, '],
])('B038: a condition with %s is refused', (_case, condition, problem) => {
  expect(problemOf(condition)).toContain(problem);
});
