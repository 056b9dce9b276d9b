import { expect, test } from 'vitest';
import { conditionKeys, hookSteps, loopHookSteps, rebootCauses } from '../../src/protocol/index.ts';
import { masterSeed, noticedBy, planted } from './planted.ts';
import { loopSeed } from './random.ts';
import { simulateLoop } from './simulate.ts';
import { simulateMany } from './tally.ts';

const tally = await simulateMany({ loops: 1_200, masterSeed });

test('A013, A040, A042-A051, A054, A056, A058, A163-A167, B033-B036, B038-B040, B080, B116, R1-R7, R17, R18, R23, R26: twelve hundred loops keep every promise', () => {
  expect(tally.findings.slice(0, 5)).toEqual([]);
});

test('A040, A042-A051, A054, A056, A058, A163-A167: a hundred new random loops keep every promise', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`simulating from seed ${seed}`);
  const { findings } = await simulateMany({ loops: 100, masterSeed: seed });
  expect(findings.slice(0, 5)).toEqual([]);
});

test('A044, A049: the simulation reaches every way in which a loop can end or pause', () => {
  expect([...tally.ends.keys()].toSorted()).toEqual([
    'aborted/user_abort',
    'completed/completed',
    'failed/condition',
    'failed/environment',
    'failed/iteration_failures',
    'failed/max_cost',
    'failed/max_files_changed',
    'failed/max_iterations',
    'failed/max_lines_changed',
    'failed/max_output_tokens',
    'failed/max_time',
    'failed/max_tokens',
    'failed/max_tool_calls',
    'failed/no_progress',
    'failed/pattern',
    'failed/same_error',
    'failed/script',
    'failed/test_failures',
    'paused/configuration',
    'paused/environment',
    'paused/interrupted',
    'paused/max_cost',
    'paused/max_files_changed',
    'paused/max_iterations',
    'paused/max_lines_changed',
    'paused/max_output_tokens',
    'paused/max_time',
    'paused/max_tokens',
    'paused/max_tool_calls',
    'paused/provider_limit',
    'paused/user_pause',
  ]);
});

test('A040, A048-A051: the simulation sends every command, crashes owners and waits for every cause', () => {
  expect(tally.crashes).toBeGreaterThan(1_000);
  expect([...tally.waits.keys()].toSorted()).toEqual([
    'delay',
    'environment',
    'limit',
    'rate',
    'reboot',
    'schedule',
    'unknown',
  ]);
  expect([...tally.commands.keys()].toSorted()).toEqual([
    'abort',
    'breakpoint',
    'continue',
    'drop',
    'guide',
    'interrupt',
    'mode',
    'note',
    'pause',
    'reboot',
    'refused',
    'resume',
    'retry',
    'rollback',
    'skip',
    'stop',
    'suspend',
  ]);
});

test('B033, B034, B035, B080: the simulation replaces sessions for every cause, ends runs at the redline, and tells agents that only explore', () => {
  expect([...tally.sessions.keys()].toSorted()).toEqual(['correction', 'cut', ...rebootCauses].toSorted());
});

test('A081, A084, B068, B070: the simulation runs hooks that work, fail, must not fail and stop the loop, at every step', () => {
  const words = ['failed', 'fatal', 'ok', 'stop'];
  const points = [...hookSteps, ...loopHookSteps].toSorted();
  expect([...tally.hooks.keys()].toSorted()).toEqual(
    points.flatMap((point) => words.map((word) => `${point}/${word}`)),
  );
});

test('R6: the simulation covers gates whose file was changed, restored and accepted', () => {
  const gates = [...tally.gates.keys()].toSorted();
  expect(gates).toEqual(expect.arrayContaining(['accepted', 'failed', 'passed', 'tampered']));
});

test('R6: the simulation meets checks that contradict themselves, prove no work, or cannot judge anything', () => {
  const broken = ['timed_out', 'not_found', 'not_executable', 'unverifiable'];
  const expected = ['contradicted', 'unchanged', 'obstacle', ...broken];
  const atStart = ['passed', 'failed', 'contradicted', ...broken].map((verdict) => `baseline/${verdict}`);
  expect([...tally.gates.keys()]).toEqual(expect.arrayContaining([...expected, ...atStart]));
});

test('B038, B040: the simulation meets, misses and cannot tell conditions of every kind, and each can end a loop', () => {
  const looks = ['custom_script', 'file_contains', 'file_created', 'user_signal'];
  expect([...tally.looks.keys()].toSorted()).toEqual(
    looks.flatMap((type) => ['false', 'null', 'true'].map((met) => `${type}/${met}`)).toSorted(),
  );
  // When all tests pass, the gate in this world usually passes too.
  const endings = [...conditionKeys.keys()].filter((type) => type !== 'never' && type !== 'all_tests_pass');
  const ended = new Set([...tally.conditions.keys()].map((name) => name.split('/')[1]));
  ended.delete('all_tests_pass');
  expect([...ended].toSorted()).toEqual([...endings, 'gate'].toSorted());
});

test('a seed fixes a loop to the last fact, and a printed seed replays alone', async () => {
  const seed = loopSeed(masterSeed, 17);
  expect(loopSeed(seed, 0)).toBe(seed);
  const [one, other] = [await simulateLoop({ seed }), await simulateLoop({ seed })];
  expect(one.world.disk).toEqual(other.world.disk);
});

test.each(planted)('the simulation notices it when $bug', async (mutant) => {
  expect(await noticedBy(mutant)).toEqual(expect.any(Number));
});
