import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../../protocol/index.ts';
import { nothingChanged } from '../state/changed.ts';
import { edit, type LoopEdit } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import { emptyStats } from '../state/stats.ts';
import { startedStory } from '../testing/story.ts';
import { standings, trippedRule } from './stop-rules.ts';

const off = {
  maxTestFailureStreak: 0,
  maxNoProgressIterations: 0,
  maxIterationFailureStreak: 0,
  maxSameErrorStreak: 0,
};
const unbounded: LoopConfigInput = { maxIterations: 0, stopConditions: off };

function loopWith(config: LoopConfigInput, state: LoopEdit = {}): Loop {
  return edit(startedStory({ config: { ...unbounded, ...config } }).loop, state);
}

const noRuns = startedStory().loop.totals.spent;
const failure = { class: 'agent', message: 'it broke', signature: 'it broke' } as const;

test('A010 A011: a rule whose bound is 0 does not exist, however long its streak', () => {
  const stats = { ...emptyStats, testFailureStreak: 99, noProgressCount: 99, iterationFailureStreak: 99 };
  expect(
    standings(
      loopWith(
        {},
        { totals: { stats }, position: { finished: 99 }, signals: { lastFailure: { ...failure, streak: 99 } } },
      ),
    ),
  ).toEqual([]);
});

test('by default a loop is bounded by its iterations and four streaks', () => {
  expect(standings(startedStory().loop)).toEqual([
    { rule: 'max_iterations', kind: 'limit', near: 0, evidence: '0 of 100 iterations' },
    { rule: 'same_error', kind: 'rule', near: 0, evidence: '0 of 3 iterations in a row failed with the same error' },
    { rule: 'iteration_failures', kind: 'rule', near: 0, evidence: '0 of 5 iterations in a row failed' },
    { rule: 'test_failures', kind: 'rule', near: 0, evidence: '0 of 3 changes in a row made no failing test pass' },
    { rule: 'no_progress', kind: 'rule', near: 0, evidence: '0 of 5 iterations in a row made no progress' },
  ]);
});

const rows: readonly [string, LoopConfigInput, (amount: number) => LoopEdit, string][] = [
  ['max_iterations', { maxIterations: 4 }, (finished) => ({ position: { finished } }), '2 of 4 iterations'],
  ['max_time', { maxTime: '4h' }, (hours) => ({ totals: { runningMs: hours * 3_600_000 } }), '2h of 4h running time'],
  [
    'max_tokens',
    { maxTokens: 4 },
    (tokens) => ({ totals: { spent: { ...noRuns, runs: 1, tokens } } }),
    '2 of 4 tokens',
  ],
  [
    'max_output_tokens',
    { maxOutputTokens: 4 },
    (outputTokens) => ({ totals: { spent: { ...noRuns, runs: 1, outputTokens } } }),
    '2 of 4 output tokens',
  ],
  [
    'max_tool_calls',
    { maxToolCalls: 4 },
    (toolCalls) => ({ totals: { spent: { ...noRuns, runs: 1, toolCalls } } }),
    '2 of 4 tool calls',
  ],
  [
    'max_cost',
    { maxCostUsd: 4 },
    (costUsd) => ({ totals: { spent: { ...noRuns, runs: 1, costUsd } } }),
    '$2.00 of $4.00',
  ],
  [
    'max_files_changed',
    { maxFilesChanged: 4 },
    (count) => ({ totals: { changed: { ...nothingChanged, files: [...'abcdefghi'].slice(0, count) } } }),
    '2 of 4 changed files',
  ],
  [
    'max_lines_changed',
    { maxLinesChanged: 4 },
    (lines) => ({ totals: { changed: { ...nothingChanged, lines } } }),
    '2 of 4 changed lines',
  ],
  [
    'same_error',
    { stopConditions: { ...off, maxSameErrorStreak: 4 } },
    (streak) => ({ signals: { lastFailure: { ...failure, streak } } }),
    '2 of 4 iterations in a row failed with the same error',
  ],
  [
    'iteration_failures',
    { stopConditions: { ...off, maxIterationFailureStreak: 4 } },
    (iterationFailureStreak) => ({ totals: { stats: { ...emptyStats, iterationFailureStreak } } }),
    '2 of 4 iterations in a row failed',
  ],
  [
    'test_failures',
    { stopConditions: { ...off, maxTestFailureStreak: 4 } },
    (testFailureStreak) => ({ totals: { stats: { ...emptyStats, testFailureStreak } } }),
    '2 of 4 changes in a row made no failing test pass',
  ],
  [
    'no_progress',
    { stopConditions: { ...off, maxNoProgressIterations: 4 } },
    (noProgressCount) => ({ totals: { stats: { ...emptyStats, noProgressCount } } }),
    '2 of 4 iterations in a row made no progress',
  ],
];

test.each(rows)(
  'A043 A044: the rule %s reports how near it is and trips exactly at its bound',
  (rule, config, at, evidence) => {
    expect(standings(loopWith(config, at(2)))).toMatchObject([{ rule, near: 0.5, evidence }]);
    expect(trippedRule(loopWith(config, at(3)))).toBeUndefined();
    expect(trippedRule(loopWith(config, at(4)))).toMatchObject({ rule, near: 1 });
    expect(trippedRule(loopWith(config, at(9)))).toMatchObject({ rule, near: 1 });
  },
);

test('B064: a protected file that the agent changed stops the loop only where that is wanted', () => {
  const protectedFiles = { changed: ['.env.local', 'secrets/key.pem'], created: [] };
  const loopIn = (mode: 'report' | 'stop') =>
    loopWith({ protect: { mode, paths: ['.env*', '*.pem'] } }, { gate: { protectedFiles } });
  expect(trippedRule(loopIn('report'))).toBeUndefined();
  expect(trippedRule(loopIn('stop'))).toEqual({
    rule: 'protected_files',
    kind: 'rule',
    near: 1,
    evidence: '.env.local and 1 more changed, although protected',
  });
});

test.each([
  ['tokens', { maxTokens: 10 }, 'max_tokens', 'unknown of 10 tokens (2 runs reported nothing)'],
  [
    'output tokens',
    { maxOutputTokens: 10 },
    'max_output_tokens',
    'unknown of 10 output tokens (2 runs reported nothing)',
  ],
  ['tool calls', { maxToolCalls: 10 }, 'max_tool_calls', 'unknown of 10 tool calls (2 runs reported nothing)'],
  ['cost', { maxCostUsd: 1 }, 'max_cost', 'unknown of $1.00 (2 runs reported nothing)'],
] as const)(
  'B116: a bound on %s that no run reported is not measurable, and does not read as 0',
  (_what, config, rule, evidence) => {
    const { spent } = startedStory().run().run().loop.totals;
    expect(standings(loopWith(config, { totals: { spent } }))).toEqual([{ rule, kind: 'limit', near: null, evidence }]);
    expect(trippedRule(loopWith(config, { totals: { spent } }))).toBeUndefined();
  },
);

test('a bound that only some runs reported still applies, and shows how many reported nothing', () => {
  const spent = { ...noRuns, runs: 3, tokens: 12, unreportedTokens: 1 };
  expect(trippedRule(loopWith({ maxTokens: 10 }, { totals: { spent } }))).toEqual({
    rule: 'max_tokens',
    kind: 'limit',
    near: 1,
    evidence: '12 of 10 tokens (1 run reported nothing)',
  });
});

test('before the first run a bound on tokens or cost stands at 0', () => {
  expect(standings(loopWith({ maxTokens: 10, maxCostUsd: 1 }))).toMatchObject([{ near: 0 }, { near: 0 }]);
});

test('input, output and cached tokens all count', () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 8 };
  expect(startedStory().run({ usage }).loop.totals.spent).toMatchObject({
    tokens: 15,
    unreportedTokens: 0,
    unreportedCost: 1,
  });
});

test('a run that reports only its cost leaves its tokens unknown', () => {
  const { spent } = startedStory().run({ usage: { costUsd: 0.25 } }).loop.totals;
  expect(spent).toMatchObject({ tokens: 0, costUsd: 0.25, runs: 1, unreportedTokens: 1, unreportedCost: 0 });
});

test('when several rules trip together the most urgent is named: pattern, limits, errors, tests, progress', () => {
  const patterns = { stopOnPatterns: ['fatal'] };
  const config: LoopConfigInput = {
    maxIterations: 1,
    maxTime: '1s',
    maxTokens: 1,
    maxCostUsd: 1,
    stopConditions: patterns,
  };
  const loop = loopWith(config, {
    position: { finished: 9 },
    totals: {
      runningMs: 9_000,
      spent: { ...noRuns, runs: 1, tokens: 9, costUsd: 9 },
      stats: { ...emptyStats, iterationFailureStreak: 9, testFailureStreak: 9, noProgressCount: 9 },
    },
    signals: { lastFailure: { ...failure, streak: 9 }, matchedPattern: 'fatal' },
  });
  const order = standings(loop).map(({ rule, near }) => [rule, near]);
  expect(order).toEqual([
    ['pattern', 1],
    ['max_time', 1],
    ['max_tokens', 1],
    ['max_cost', 1],
    ['max_iterations', 1],
    ['same_error', 1],
    ['iteration_failures', 1],
    ['test_failures', 1],
    ['no_progress', 1],
  ]);
  expect(trippedRule(loop)?.rule).toBe('pattern');
});

test('A012: an error that matches a pattern from the settings ends the loop', () => {
  const story = startedStory({ config: { stopConditions: { stopOnPatterns: ['nothing', 'disk (is )?full'] } } });
  story.run({ outcome: 'refused', error: 'the disk is full' });
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.loop).toMatchObject({
    status: 'failed',
    outcome: { reason: 'pattern', message: 'an error matched disk (is )?full' },
  });
});

test('an error is the same whatever numbers and ids it contains; a success or another error breaks the streak', () => {
  const story = startedStory({ config: { stopConditions: { maxSameErrorStreak: 9 } } });
  const streaks = [
    'Port 8080 in use (a1b2c3d4e5)',
    'port 9090  in use (ffffffffff)',
    undefined,
    'port 1 in use',
    'other',
  ].map((error) => {
    story.run(error === undefined ? {} : { outcome: 'refused', error });
    story.advance();
    return story.loop.signals.lastFailure?.streak ?? 0;
  });
  expect(streaks).toEqual([1, 2, 0, 1, 1]);
});

test('A095: a skipped iteration neither counts towards the same error nor breaks its streak', () => {
  const story = startedStory({ config: { stopConditions: { maxSameErrorStreak: 9 } } });
  story.run({ outcome: 'refused', error: 'it broke' }).advance();
  story.begin().command({ command: 'skip' }).advance();
  story.run({ outcome: 'refused', error: 'it broke' }).advance();
  expect(story.loop.signals.lastFailure?.streak).toBe(2);
});
