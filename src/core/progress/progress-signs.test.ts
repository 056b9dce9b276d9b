import { expect, test } from 'vitest';
import type { LoopConfigInput, Measure, ProgressStrategy, Verdict } from '../../protocol/index.ts';
import { paceOf } from '../rules/pace.ts';
import { changed, counts } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { judgeProgress } from './progress.ts';

type ProgressInput = NonNullable<LoopConfigInput['progress']>;

const still = changed(0);

/** A loop that is judged by checks of several kinds; each iteration is described by the results of its gate. */
function judged(progress: ProgressInput = {}, checks = ['npm run build', 'npm run lint', 'npm test']) {
  const story = startedStory({
    checks,
    config: { maxIterations: 50, progress, stopConditions: { maxNoProgressIterations: 0 } },
  });
  return {
    story,
    /** Runs an iteration to its end and returns how it was judged. */
    iterate: ({ verdicts = [], measures, run = {}, tests, tampered }: Iteration) => {
      story.run({ claimed: true, changes: still, ...run });
      story.tell({ type: 'gate.started', data: story.attempt });
      const done = checks.map((command, index) => ({
        command,
        verdict: verdicts[index] ?? 'failed',
        durationMs: 1,
        output: '',
      }));
      const results = {
        ...(measures === undefined ? {} : { measures: [...measures] }),
        ...(tests === undefined ? {} : { tests }),
      };
      const more = tampered === undefined ? {} : { tampered: [...tampered] };
      story.tell({
        type: 'gate.finished',
        data: { ...story.attempt, verdict: 'failed', checks: done, ...results, ...more, durationMs: 1 },
      });
      return settled(story);
    },
  };
}

interface Iteration {
  readonly verdicts?: readonly Verdict[];
  readonly measures?: readonly Measure[];
  readonly run?: Parameters<Story['run']>[0];
  readonly tests?: ReturnType<typeof counts>;
  readonly tampered?: readonly string[];
}

function settled(story: Story) {
  const { current } = story.loop.position;
  if (current === undefined) throw new Error('no attempt is under way');
  const progress = judgeProgress(story.loop, current);
  story.advance();
  return progress;
}

const lint = (value: number): Measure => ({ of: 'lint', name: 'eslint', check: 'npm run lint', value });
const coverage = (value: number): Measure => ({ of: 'coverage', name: 'istanbul', check: 'npm test', value });
const metric = (value: number, name = 'speed'): Measure => ({ of: 'metric', name, value });

test('B049, B050: a fixed build counts 0.5, a satisfied linter 0.1, both in an unchanged tree', () => {
  const { iterate } = judged();
  expect(iterate({}).made).toBe(false);
  expect(iterate({ verdicts: ['passed'] })).toEqual({
    made: true,
    evidence: ['the check "npm run build" passes now'],
    score: 0.5,
  });
  expect(iterate({ verdicts: ['passed', 'passed'] })).toEqual({
    made: true,
    evidence: ['the check "npm run lint" passes now'],
    score: 0.1,
  });
  expect(iterate({ verdicts: ['passed', 'passed'] }).made).toBe(false);
});

test('B049: fewer problems than ever before count 0.1; as many, more, or a return to an earlier number count nothing', () => {
  const { iterate } = judged();
  const scores = [12, 12, 9, 11, 9, 10, 8].map((value) => iterate({ measures: [lint(value)] }));
  expect(scores.map(({ score }) => score)).toEqual([0, 0, 0.1, 0, 0, 0, 0.1]);
  expect(scores[2]?.evidence).toEqual(['eslint problems: 9, previous best 12']);
});

test('B049: more coverage than ever before counts 0.2', () => {
  const { iterate } = judged();
  expect([80, 79.5, 80, 80.1].map((value) => iterate({ measures: [coverage(value)] }).score)).toEqual([0, 0, 0, 0.2]);
});

test('B049: the first iteration is compared with the measures of the baseline', () => {
  const story = startedStory({ config: { baseline: true } });
  const data = { verdict: 'failed', checks: [], measures: [lint(5)], elapsedMs: 0 } as const;
  story.tell({ type: 'baseline.finished', data: { ...data, checks: [], measures: [...data.measures] } });
  story.run({ claimed: true, changes: still });
  story.tell({ type: 'gate.started', data: story.attempt });
  story.tell({
    type: 'gate.finished',
    data: { ...story.attempt, verdict: 'failed', checks: [], measures: [lint(4)], durationMs: 1 },
  });
  expect(settled(story)).toMatchObject({ made: true, score: 0.1 });
});

test('B049: metrics of the user count in their direction and with their weight', () => {
  const metrics: ProgressInput['metrics'] = [
    { name: 'speed', pattern: '(1)', weight: 0.35 },
    { name: 'size', pattern: '(1)', direction: 'down' },
  ];
  const { iterate } = judged({ metrics });
  const both = (speed: number, size: number) => iterate({ measures: [metric(speed), metric(size, 'size')] });
  expect(both(10, 100).score).toBe(0);
  expect(both(11, 101)).toEqual({ made: true, evidence: ['speed: 11, previous best 10'], score: 0.35 });
  expect(both(12, 99)).toMatchObject({ made: true, score: 0.55 });
});

test('B050, B052: less than the minimum score of 0.1 is not progress', () => {
  const metrics = [{ name: 'speed', pattern: '(1)', weight: 0.09 }];
  const { iterate } = judged({ metrics });
  iterate({ measures: [metric(1)] });
  expect(iterate({ measures: [metric(2)] })).toEqual({
    made: false,
    evidence: ['speed: 2, previous best 1', 'too little to count'],
    score: 0,
  });
});

test('R16: a gate whose files were tampered with measures nothing', () => {
  const { iterate, story } = judged();
  iterate({ measures: [lint(9)] });
  expect(iterate({ measures: [lint(0)], tampered: ['check.sh'] }).made).toBe(false);
  expect(story.loop.progress.measures).toMatchObject([{ value: 9, best: 9 }]);
});

/** How each strategy judges an iteration with one kind of sign. */
const shown: Readonly<Record<string, Iteration>> = {
  files: { run: { changes: changed(2) } },
  tests: { tests: counts(1) },
  checks: { verdicts: ['passed'] },
  numbers: { measures: [coverage(81)] },
  words: { run: { markers: 3 } },
  'words and files': { run: { markers: 3, changes: changed(1) } },
};

test.each<[ProgressStrategy, Readonly<Record<string, number>>]>([
  ['combined', { files: 0.3, tests: 0.4, checks: 0.5, numbers: 0.2, words: 0, 'words and files': 0.6 }],
  ['file_changes', { files: 0.3, tests: 0, checks: 0, numbers: 0, words: 0, 'words and files': 0.3 }],
  ['test_results', { files: 0, tests: 0.4, checks: 0.5, numbers: 0, words: 0, 'words and files': 0 }],
  ['metric_velocity', { files: 0, tests: 0, checks: 0, numbers: 0.2, words: 0, 'words and files': 0 }],
  ['custom_markers', { files: 0, tests: 0, checks: 0, numbers: 0, words: 0, 'words and files': 0.6 }],
])('B050, B052: the strategy %s counts what it is for, and never words alone', (strategy, expected) => {
  const scores = Object.entries(shown).map(([name, iteration]) => {
    const { iterate } = judged({ strategy });
    iterate({ tests: counts(3), measures: [coverage(80)] });
    const { made, score } = iterate({ measures: [coverage(80)], ...iteration });
    expect(made).toBe((score ?? 0) > 0);
    return [name, score];
  });
  expect(Object.fromEntries(scores)).toEqual(expected);
});

test.each<[ProgressStrategy, Parameters<Story['run']>[0], boolean | null, string]>([
  ['test_results', { changes: changed(1) }, null, 'the checks did not run'],
  ['test_results', { changes: still }, false, 'no test and no check improved'],
  ['metric_velocity', { changes: changed(1) }, null, 'nothing was measured'],
  ['metric_velocity', { changes: still }, false, 'no measure improved'],
  ['file_changes', { changes: changed(0, { known: false }) }, null, 'the work tree could not be compared'],
  [
    'custom_markers',
    { changes: changed(0, { known: false }), markers: 1 },
    null,
    'the work tree could not be compared',
  ],
  ['custom_markers', { changes: changed(5) }, false, 'the agent reported no progress, or nothing confirms it'],
])('B050: with %s, an iteration without a gate is decided only by what was seen', (strategy, run, made, evidence) => {
  const { story } = judged({ strategy });
  story.run(run);
  expect(settled(story)).toMatchObject({ made, evidence: [evidence] });
});

test('B052: the streak rises while nothing gets better; one iteration with progress resets it', () => {
  const { iterate, story } = judged();
  const streaks = [12, 12, 12, 11, 11].map((value) => {
    iterate({ measures: [lint(value)] });
    return paceOf(story.loop).streak;
  });
  expect(streaks).toEqual([1, 2, 3, 0, 1]);
});

test('B052: a new loop takes over nothing from the one before: no streak, no scores, no best', () => {
  const { iterate, story } = judged();
  iterate({ measures: [lint(12)] });
  expect(story.loop.progress.measures).toHaveLength(1);
  const fresh = startedStory().loop;
  expect([fresh.progress.measures, fresh.progress.recentScores, paceOf(fresh)]).toEqual([
    [],
    [],
    { velocity: null, streak: 0, recommendation: 'continue' },
  ]);
});

test('B049: the newest hundred measures are kept', () => {
  const { iterate, story } = judged();
  for (let part = 0; part < 30; part += 1) {
    iterate({
      measures: Array.from({ length: 10 }, (_, index) => ({ ...lint(1), name: `tool ${part * 10 + index}` })),
    });
  }
  expect(story.loop.progress.measures).toHaveLength(100);
  expect(story.loop.progress.measures.at(-1)?.name).toBe('tool 299');
});
