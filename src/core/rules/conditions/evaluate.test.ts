import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition, ConditionInput, TestCounts } from '../../../protocol/index.ts';
import { configOf, counts } from '../../testing/facts.ts';
import { describeCondition } from './describe.ts';
import { evaluate, type Judgement } from './evaluate.ts';
import type { Evidence } from './evidence.ts';

const nothing: Evidence = {
  iterations: 0,
  runningMs: 0,
  testFailureStreak: 0,
  noProgress: 0,
  tests: undefined,
  error: undefined,
  errorMatches: [],
  outputMatches: [],
  observed: [],
};

function conditionOf(input: ConditionInput): Condition {
  const [condition] = configOf({ stopConditions: { stop: [input] } }).stopConditions.stop;
  if (condition === undefined) throw new Error('there is no condition');
  return condition;
}

function judge(input: ConditionInput, evidence: Partial<Evidence> = {}): Judgement {
  return evaluate({ key: 'stop.0', condition: conditionOf(input) }, { ...nothing, ...evidence });
}

const green: TestCounts = { ...counts(0), passing: ['adds', 'takes'] };
const red: TestCounts = { ...counts(2), failing: ['adds', 'other'], passing: ['takes'] };
const observation = (met: boolean | null, detail?: string) => ({
  observed: [{ key: 'stop.0', met, ...(detail === undefined ? {} : { detail }) }],
});

const rows: readonly [ConditionInput, Partial<Evidence>, Judgement][] = [
  [{ type: 'max_iterations', count: 4 }, { iterations: 1 }, { met: false, near: 0.25, reason: '1 of 4 iterations' }],
  [{ type: 'max_iterations', count: 4 }, { iterations: 9 }, { met: true, near: 1, reason: '9 of 4 iterations' }],
  [
    { type: 'max_duration', duration: '1h' },
    { runningMs: 1_800_000.7 },
    { met: false, near: 1_800_000.7 / 3_600_000, reason: '30m of 1h running time' },
  ],
  [
    { type: 'test_failure_streak', count: 2 },
    { testFailureStreak: 2 },
    { met: true, near: 1, reason: '2 of 2 changes in a row made no failing test pass' },
  ],
  [
    { type: 'no_progress', count: 2 },
    { noProgress: 1 },
    { met: false, near: 0.5, reason: '1 of 2 iterations in a row made no progress' },
  ],
  [{ type: 'all_tests_pass' }, {}, { met: null, near: null, reason: 'no tests were run' }],
  [{ type: 'all_tests_pass' }, { tests: counts(0, 0) }, { met: null, near: null, reason: 'no tests were run' }],
  [{ type: 'all_tests_pass' }, { tests: counts(4) }, { met: false, near: 0.6, reason: '4 of 10 tests fail' }],
  [{ type: 'all_tests_pass' }, { tests: green }, { met: true, near: 1, reason: '10 tests pass' }],
  [
    { type: 'specific_tests_pass', tests: ['takes', 'adds'] },
    { tests: red },
    { met: false, near: 0.5, reason: 'the test "adds" fails' },
  ],
  [
    { type: 'specific_tests_pass', tests: ['takes', 'adds'] },
    { tests: green },
    { met: true, near: 1, reason: 'they pass' },
  ],
  [
    { type: 'specific_tests_pass', tests: ['takes', 'gone'] },
    { tests: green },
    { met: null, near: null, reason: 'the report does not say whether the test "gone" passes' },
  ],
  [{ type: 'output_pattern', text: 'x' }, {}, { met: false, near: 0, reason: 'the output does not match' }],
  [
    { type: 'output_pattern', text: 'x' },
    { outputMatches: ['stop.0'] },
    { met: true, near: 1, reason: 'the output matches' },
  ],
  [{ type: 'on_error' }, {}, { met: false, near: 0, reason: 'the latest iteration did not fail' }],
  [
    { type: 'on_error' },
    { error: 'no', errorMatches: ['stop.0'] },
    { met: true, near: 1, reason: 'the latest iteration failed: no' },
  ],
  [
    { type: 'on_error', pattern: 'quota|disk' },
    { error: 'the tool broke' },
    { met: false, near: 0, reason: 'the error does not match' },
  ],
  [
    { type: 'on_error', pattern: 'quota|disk' },
    { error: 'a full disk', errorMatches: ['stop.0'] },
    { met: true, near: 1, reason: 'the latest iteration failed: a full disk' },
  ],
  [{ type: 'file_created', path: 'x' }, {}, { met: null, near: null, reason: 'not checked yet' }],
  [{ type: 'file_created', path: 'x' }, observation(true), { met: true, near: 1, reason: 'met' }],
  [{ type: 'file_contains', path: 'x', text: 'y' }, observation(false), { met: false, near: 0, reason: 'not met' }],
  [{ type: 'custom_script', run: 'x' }, observation(null, 'it hung'), { met: null, near: null, reason: 'it hung' }],
  [{ type: 'user_signal' }, observation(true, 'at noon'), { met: true, near: 1, reason: 'at noon' }],
  [{ type: 'never' }, {}, { met: false, near: 0, reason: 'it is never met' }],
];

test.each(rows)('B038, B040: %j with %j', (condition, evidence, judgement) => {
  expect(judge(condition, evidence)).toEqual(judgement);
});

const yes: ConditionInput = { type: 'max_iterations', count: 1 };
const no: ConditionInput = { type: 'never' };
const half: ConditionInput = { type: 'max_iterations', count: 2 };
const perhaps: ConditionInput = { type: 'all_tests_pass' };
const known = { iterations: 1 };

test.each<['all' | 'any', readonly ConditionInput[], Omit<Judgement, 'reason'>]>([
  ['all', [yes, yes], { met: true, near: 1 }],
  ['all', [yes, half], { met: false, near: 0.5 }],
  ['all', [yes, perhaps], { met: null, near: null }],
  ['all', [half, perhaps], { met: false, near: 0.5 }],
  ['all', [perhaps, no], { met: false, near: 0 }],
  ['any', [no, yes], { met: true, near: 1 }],
  ['any', [no, half], { met: false, near: 0.5 }],
  ['any', [half, perhaps], { met: null, near: null }],
  ['any', [perhaps, yes], { met: true, near: 1 }],
])('B038: %s of %j is three-valued, and only as near as the part that decides it', (type, conditions, judgement) => {
  expect(judge({ type, conditions }, known)).toMatchObject(judgement);
});

test('B038: the opposite of unknown is unknown', () => {
  expect(judge({ type: 'not', condition: perhaps })).toMatchObject({ met: null, near: null });
  expect(judge({ type: 'not', condition: no })).toMatchObject({ met: true, near: 1 });
  expect(judge({ type: 'not', condition: yes }, known)).toMatchObject({ met: false, near: 0 });
});

test('a condition inside another is identified by its place', () => {
  const inner: ConditionInput = { type: 'not', condition: { type: 'file_created', path: 'x' } };
  const observed = [{ key: 'stop.0.conditions.1.condition', met: false }];
  expect(judge({ type: 'any', conditions: [no, inner] }, { observed })).toMatchObject({ met: true, reason: 'not met' });
});

/** Conditions of all kinds inside each other. */
function nested(maxDepth: number): fc.Arbitrary<ConditionInput> {
  return fc.letrec<{ condition: ConditionInput }>((tie) => ({
    condition: fc.oneof(
      { maxDepth, depthSize: 'max' },
      fc.constantFrom(...rows.map(([condition]) => condition)),
      fc.record({
        type: fc.constantFrom('all', 'any'),
        conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ type: fc.constant('not'), condition: tie('condition') }),
    ),
  })).condition;
}

const evidences: fc.Arbitrary<Partial<Evidence>> = fc.record({
  iterations: fc.nat(5),
  runningMs: fc.nat(8_000_000),
  testFailureStreak: fc.nat(3),
  noProgress: fc.nat(3),
  tests: fc.constantFrom(undefined, green, red),
  error: fc.constantFrom(undefined, 'a full disk', 'other'),
  errorMatches: fc.constantFrom([], ['stop.0'], ['stop.0.condition']),
  outputMatches: fc.constantFrom([], ['stop.0'], ['stop.0.conditions.0']),
  observed: fc.array(
    fc.record({
      key: fc.constantFrom('stop.0', 'stop.0.condition', 'stop.0.conditions.0', 'stop.0.conditions.1'),
      met: fc.constantFrom(true, false, null),
    }),
    { maxLength: 3 },
  ),
});

test('B040: whatever the condition, its nearness is within 0 and 1, is 1 exactly when it is met, and has a reason', () => {
  fc.assert(
    fc.property(nested(4), evidences, (condition, evidence) => {
      const { met, near, reason } = judge(condition, evidence);
      expect(near === null).toBe(met === null);
      expect(near === 1).toBe(met === true);
      if (near !== null) expect(near >= 0 && near <= 1).toBe(true);
      expect(reason).not.toBe('');
      expect(describeCondition(conditionOf(condition))).not.toMatch(/^$|undefined|\[object/);
    }),
  );
});

test('B038: all, any and not obey the laws of logic, even if something is unknown', () => {
  fc.assert(
    fc.property(nested(1), nested(1), evidences, (one, other, evidence) => {
      // A condition inside another has another place: only what is not looked up by place can be compared.
      const plain = { ...evidence, errorMatches: [], outputMatches: [], observed: [] };
      const met = (condition: ConditionInput) => judge(condition, plain).met;
      const not = (condition: ConditionInput): ConditionInput => ({ type: 'not', condition });
      expect(met({ type: 'all', conditions: [one, other] })).toBe(met({ type: 'all', conditions: [other, one] }));
      expect(met({ type: 'any', conditions: [one] })).toBe(met(one));
      expect(met({ type: 'any', conditions: [one, other] })).toBe(
        met(not({ type: 'all', conditions: [not(one), not(other)] })),
      );
    }),
  );
});

test('B040: a condition is described in words', () => {
  const describe = (input: ConditionInput) => describeCondition(conditionOf(input));
  expect(
    describe({
      type: 'any',
      conditions: [
        {
          type: 'all',
          conditions: [
            { type: 'max_iterations', count: 1 },
            { type: 'max_duration', duration: '90m' },
          ],
        },
        { type: 'not', condition: { type: 'file_contains', path: 'a.log', pattern: 'x+' } },
        { type: 'custom_script', run: ['./ask', 'me'] },
        { type: 'user_signal' },
      ],
    }),
  ).toBe(
    '((1 iteration is over and 1h 30m of running time is used) or not (the file a.log contains what matches /x+/) or the script "./ask me" exits with 0 or the file ralphd.stop is touched)',
  );
  expect(describe({ type: 'output_pattern', text: 'y'.repeat(1_000) })).toMatch(
    /^the agent's output contains "y+\n.*left out.*\ny+"$/,
  );
});
