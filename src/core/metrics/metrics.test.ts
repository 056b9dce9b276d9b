import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../protocol/index.ts';
import { idleLoop } from '../state/loop.ts';
import { configOf, counts } from '../testing/facts.ts';
import { type Exposition, parseExposition } from '../testing/parse-exposition.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { expositionText, metricObjects, statsdText } from './formats.ts';
import { countOf, cumulative, emptyHistogram, type Histogram, observe } from './histogram.ts';
import { foldMetrics, measuredFacts, noJournalMetrics } from './journal-metrics.ts';
import { type MeasuredLoop, metricsOf } from './metrics.ts';

const usage = { inputTokens: 100, outputTokens: 20, costUsd: 0.5, context: { used: 40, size: 100 } };

function measured({ loop, facts }: Story): MeasuredLoop {
  return { loop, shownStatus: loop.status, journal: facts.reduce(foldMetrics, noJournalMetrics), isEncrypted: false };
}

/** Two iterations, the second of which failed. */
function busyStory(): Story {
  const story = startedStory({ config: { maxIterations: 50 } });
  story.run({ usage, model: 'opus', claimed: true });
  story.gate({ verdict: 'failed', tests: counts(4) }).advance();
  story.run({ outcome: 'unknown', error: 'it broke', ending: { kind: 'exited', code: 1 } });
  story.advance();
  return story;
}

function valuesOf(text: Exposition, name: string): readonly number[] {
  return text.samples.filter((sample) => sample.name === name).map(({ value }) => value);
}

test('B054: every metric has its name, and its value is that of the loop', () => {
  const story = busyStory();
  const families = metricsOf([measured(story)]);
  const text = parseExposition(expositionText(families, 'prometheus'), 'prometheus');
  const { stats } = story.loop.totals;
  const total = Number(story.loop.tests.latest?.total);
  expect(
    Object.fromEntries(text.samples.filter(({ labels }) => !('le' in labels)).map(({ name, value }) => [name, value])),
  ).toEqual({
    ralph_loop_info: 1,
    ralph_loop_iterations_total: stats.iterations,
    ralph_loop_iterations_success_total: 1,
    ralph_loop_iterations_failed_total: 1,
    ralph_loop_iterations_with_progress_total: stats.successfulIterations,
    ralph_loop_reboots_total: stats.reboots,
    ralph_loop_sessions_created_total: 2,
    ralph_loop_files_changed_total: stats.filesModified + stats.filesCreated + stats.filesDeleted,
    ralph_loop_running_seconds_total: story.loop.totals.runningMs / 1_000,
    ralph_loop_runs_total: 2,
    ralph_loop_tokens_total: 120,
    ralph_loop_tokens_unreported_runs_total: 1,
    ralph_loop_output_tokens_total: 20,
    ralph_loop_output_tokens_unreported_runs_total: 1,
    ralph_loop_tool_calls_unreported_runs_total: 2,
    ralph_loop_cost_usd_total: 0.5,
    ralph_loop_cost_usd_unreported_runs_total: 1,
    ralph_loop_tests_total: total,
    ralph_loop_tests_passing: total - 4,
    ralph_loop_tests_failing: 4,
    ralph_loop_test_pass_rate: (total - 4) / total,
    ralph_loop_progress_score: story.loop.progress.recentScores.at(-1),
    ralph_loop_iteration_duration_seconds_sum: expect.any(Number) as number,
    ralph_loop_iteration_duration_seconds_count: 2,
  });
});

test('B054: a reboot counts with how full the context was, if that is known, and a failed reboot does not', () => {
  const told = (ok: boolean, percent?: number): Histogram => {
    const story = startedStory();
    story.run(percent === undefined ? {} : { usage: { ...usage, context: { used: percent, size: 100 } } });
    story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok } });
    return measured(story).journal.contexts;
  };
  expect(told(true, 90)).toMatchObject({ sum: 90 });
  expect(cumulative(told(true, 90)).filter(({ count }) => count === 1)[0]).toEqual({ bound: 90, count: 1 });
  expect(countOf(told(true))).toBe(0);
  expect(countOf(told(false, 90))).toBe(0);
  const families = metricsOf([measured(startedStory().run())]);
  expect(families.map(({ name }) => name)).not.toContain('context_at_reboot_percent');
});

test('B053 B055: what nobody reported is absent, and never 0', () => {
  const quiet = metricsOf([measured(startedStory().run())]).map(({ name }) => name);
  for (const name of ['tokens', 'cost_usd', 'tool_calls', 'tests_total', 'test_pass_rate']) {
    expect(quiet).not.toContain(name);
  }
  expect(quiet).toContain('tokens_unreported_runs');
  expect(metricsOf([])).toEqual([]);
});

test('B055: a session counts once per fresh start, whether or not the start of its agent was recorded', () => {
  const started = { type: 'iteration.started', data: { session: 'fresh' } } as RecordedFact;
  const agent = { type: 'agent.started', data: {} } as RecordedFact;
  const finished = (kind: string) => ({ type: 'agent.finished', data: { ending: { kind } } }) as RecordedFact;
  const sessions = (...facts: readonly RecordedFact[]) => facts.reduce(foldMetrics, noJournalMetrics).sessions;
  expect(sessions(started, agent, finished('exited'))).toBe(1);
  expect(sessions(started, finished('exited'))).toBe(1);
  expect(sessions(started, finished('not_started'), started, finished('lost'))).toBe(0);
  expect(sessions({ ...started, data: { session: 'continue' } } as RecordedFact, agent, finished('exited'))).toBe(0);
});

test('B055: following a loop fact by fact gives what its whole journal gives, and other facts change nothing', () => {
  const { facts } = busyStory();
  const relevant = facts.filter(({ type }) => measuredFacts.has(type));
  expect(relevant.reduce(foldMetrics, noJournalMetrics)).toEqual(facts.reduce(foldMetrics, noJournalMetrics));
  expect(relevant.length).toBeLessThan(facts.length);
});

test('B053: a histogram has the asked bounds, and counts every value once', () => {
  const bounds = noJournalMetrics.durations.bounds;
  expect(bounds.slice(0, 10)).toEqual([0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120]);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 5_000, noNaN: true })), (values) => {
      const histogram = values.reduce(observe, emptyHistogram(bounds));
      for (const { bound, count } of cumulative(histogram)) {
        expect(count).toBe(values.filter((value) => value <= bound).length);
      }
      expect(countOf(histogram)).toBe(values.length);
    }),
  );
});

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('a"b\\c\nd', '\\"', '\u001b[31mred', '\ud800', '{x="1"} 7\nralph_loop_runs_total 9', '"} 1 # {'),
);

test.each(['prometheus', 'openmetrics'] as const)(
  'B055: whatever agents, models and folders are called, the %s text is valid and has each value',
  (format) => {
    fc.assert(
      fc.property(odd, odd, odd, (agent, model, workingDirectory) => {
        const { loop, journal, ...rest } = measured(busyStory());
        const renamed = { ...loop, origin: { ...loop.origin, agent, workingDirectory } };
        const families = metricsOf([{ ...rest, loop: renamed, journal: { ...journal, model } }]);
        const text = parseExposition(expositionText(families, format), format);
        expect(valuesOf(text, 'ralph_loop_iterations_total')).toEqual([2]);
        expect(valuesOf(text, 'ralph_loop_runs_total')).toEqual([2]);
        for (const { labels } of text.samples) {
          for (const value of Object.values(labels)) expect(value.length).toBeLessThanOrEqual(200);
        }
      }),
      { numRuns: 60 },
    );
  },
);

test('B053: labels keep what they say', () => {
  const { loop, ...rest } = measured(busyStory());
  const workingDirectory = '/home/ana/a "b" \\ c';
  const described = { ...loop, origin: { ...loop.origin, workingDirectory } };
  const text = expositionText(metricsOf([{ ...rest, loop: described }]), 'openmetrics');
  expect(parseExposition(text, 'openmetrics').samples[0]).toEqual({
    name: 'ralph_loop_info',
    labels: { loop_id: loop.id, project: workingDirectory, agent: 'command', model: 'opus', status: 'running' },
    value: 1,
  });
  expect(text).toContain('# TYPE ralph_loop_iterations counter\n');
  expect(text).toContain('# UNIT ralph_loop_iteration_duration_seconds seconds\n');
  const encrypted = expositionText(metricsOf([{ ...rest, loop: described, isEncrypted: true }]), 'openmetrics');
  expect(encrypted).not.toMatch(/project=|ana/);
});

test('B055: totals over loops stay right however many there are, with a bounded number of series', () => {
  const { loop, ...rest } = measured(busyStory());
  const many = Array.from({ length: 350 }, (_, index) => ({
    loop: {
      ...loop,
      id: `ralph-x-${index.toString(16).padStart(8, '0')}`,
      origin: { ...loop.origin, startedAt: new Date(index * 1_000).toISOString() },
    },
    ...rest,
  }));
  const text = parseExposition(expositionText(metricsOf(many), 'openmetrics'), 'openmetrics');
  const iterations = text.samples.filter(({ name }) => name === 'ralph_loop_iterations_total');
  expect(iterations).toHaveLength(101);
  expect(iterations.reduce((sum, { value }) => sum + value, 0)).toBe(700);
  expect(iterations[0]?.labels).toEqual({ loop_id: 'ralph-x-0000015d' });
  expect(iterations.at(-1)).toEqual({ name: 'ralph_loop_iterations_total', labels: { loop_id: 'older' }, value: 500 });
  expect(valuesOf(text, 'ralph_loop_tests_total')).toHaveLength(100);
  const durations = valuesOf(text, 'ralph_loop_iteration_duration_seconds_count');
  expect(durations.reduce((sum, each) => sum + each, 0)).toBe(700);
});

test('B053: as data and as StatsD lines the metrics have the same values', () => {
  const families = metricsOf([measured(busyStory())]);
  const objects = metricObjects(families) as readonly { name: string; type: string; samples: readonly object[] }[];
  expect(objects.find(({ name }) => name === 'ralph_loop_iterations_total')).toMatchObject({
    type: 'counter',
    samples: [{ value: 2 }],
  });
  expect(objects.find(({ name }) => name === 'ralph_loop_iteration_duration_seconds')).toMatchObject({
    type: 'histogram',
    unit: 'seconds',
    samples: [{ count: 2, buckets: expect.arrayContaining([{ le: '+Inf', count: 2 }]) as unknown }],
  });
  const lines = statsdText(families).trimEnd().split('\n');
  expect(lines).toContain('ralph_loop.ralph-fix-tests-a1b2c3d4.iterations_total:2|g');
  expect(lines).toContain('ralph_loop.ralph-fix-tests-a1b2c3d4.iteration_duration_seconds_count:2|g');
  for (const line of lines) expect(line).toMatch(/^[\w.-]+:\d+(?:\.\d+)?(?:e-?\d+)?\|g$/u);
});

test('B055: a loop that has done nothing has its counters at 0', () => {
  const loop = { ...idleLoop(configOf()), id: 'ralph-x-00000001' };
  const text = expositionText(
    metricsOf([{ loop, shownStatus: 'idle', journal: noJournalMetrics, isEncrypted: false }]),
    'prometheus',
  );
  expect(text).toContain('ralph_loop_iterations_total{loop_id="ralph-x-00000001"} 0\n');
});
