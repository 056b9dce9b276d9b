import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckCommand } from '../../protocol/index.ts';
import { type GateRequest, gateChecks } from './checks.ts';

const found = { command: 'npm test', stems: ['npm test', 'npm run test'], hasTests: true };

function checksOf(verify: readonly CheckCommand[], more: Partial<GateRequest> = {}) {
  const isProgram = (word: string) => ['npm', 'make', 'env'].includes(word);
  return gateChecks({ verify, autoTest: true, trustPromise: false, found, isProgram, ...more });
}

test('A157: the detected test command is the last check, and is marked as added', () => {
  expect(checksOf(['./check.sh'])).toEqual({
    ok: true,
    checks: ['./check.sh', 'npm test'],
    readings: [],
    added: 'npm test',
  });
});

test.each<[string, CheckCommand]>([
  ['it is given', 'npm test'],
  ['it is given with other spaces', ' npm   test '],
  ['it is given with arguments', 'npm test -- --run unit'],
  ['it is given by its other name', 'npm run test'],
  ['it is given with variables', 'CI=1 NODE_ENV=test npm test'],
  ['it is given after env', 'env CI=1 npm test'],
  ['it is a part of a line', 'make && npm test; true'],
  ['it is given as a list', ['npm', 'test']],
  ['it is given as a sentence', 'all tests pass'],
])('the detected test command is not added when %s', (_what, check) => {
  const plan = checksOf([check]);
  expect(plan).toMatchObject({ ok: true });
  expect(plan).not.toHaveProperty('added');
  expect(plan.ok && plan.checks).toHaveLength(1);
});

test('with autoTest off it is not added, but a sentence about the tests still refers to it', () => {
  expect(checksOf(['make'], { autoTest: false })).toMatchObject({ checks: ['make'] });
  expect(checksOf(['all tests pass'], { autoTest: false })).toMatchObject({ checks: ['npm test'] });
});

test('in a project without tests the test command is added only where there is no other check', () => {
  const untested = { found: { ...found, hasTests: false } };
  expect(checksOf(['make'], untested)).toMatchObject({ checks: ['make'] });
  expect(checksOf([], untested)).toMatchObject({ checks: ['npm test'], added: 'npm test' });
  expect(checksOf([], { ...untested, trustPromise: true })).toMatchObject({ checks: [] });
});

test('B112: all criteria must pass, and each command runs once', () => {
  expect(checksOf(['npm test passes and make passes', 'make', 'npm test'])).toMatchObject({
    checks: ['npm test', 'make'],
    readings: [{ said: 'npm test passes and make passes', commands: ['npm test', 'make'] }],
  });
});

test('the first criterion that is not a command is named', () => {
  expect(checksOf(['make', 'the code is clean'])).toEqual({
    ok: false,
    criterion: 'the code is clean',
    reason: 'no_command',
  });
});

test('a check given as a list is never changed', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      const plan = checksOf([words], { found: undefined });
      expect(plan).toMatchObject({ ok: true, checks: [words], readings: [] });
    }),
  );
});
