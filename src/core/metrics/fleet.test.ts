import { expect, test } from 'vitest';
import { counts } from '../testing/facts.ts';
import { parseExposition } from '../testing/parse-exposition.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { fleetMetricsOf } from './fleet.ts';
import { expositionText } from './formats.ts';
import { foldMetrics, noJournalMetrics } from './journal-metrics.ts';
import { type MeasuredLoop, metricsOf } from './metrics.ts';
import { numbersOf } from './numbers.ts';

const usage = { inputTokens: 100, outputTokens: 20, costUsd: 0.5 };

/** A loop that works once, and is then proven, given up, or left at work. */
function loopOf(end: 'verified' | 'failed' | undefined, { agent = 'claude', paid = true, passed = 3 } = {}): Story {
  const story = startedStory({ config: { maxIterations: 9 } });
  story.run({ ...(paid ? { usage } : {}), model: 'opus', claimed: true });
  story.gate({ verdict: end === 'verified' ? 'passed' : 'failed', proof: 'tree', tests: counts(4 - passed, 4) });
  story.pass(60_000).advance();
  const data = { message: 'over', verified: end === 'verified', elapsedMs: 0 } as const;
  if (end === 'verified')
    story.tell({ type: 'loop.ended', data: { ...data, status: 'completed', reason: 'completed' } });
  if (end === 'failed') story.tell({ type: 'loop.ended', data: { ...data, status: 'failed', reason: 'no_progress' } });
  story.loop = { ...story.loop, origin: { ...story.loop.origin, agent } };
  return story;
}

function measured({ loop, facts }: Story): MeasuredLoop {
  return { loop, shownStatus: loop.status, journal: facts.reduce(foldMetrics, noJournalMetrics), isEncrypted: false };
}

function textOf(loops: readonly MeasuredLoop[], unreadable = 0) {
  return parseExposition(expositionText(fleetMetricsOf(loops, unreadable), 'openmetrics'), 'openmetrics');
}

function valuesOf(text: ReturnType<typeof textOf>, name: string) {
  return text.samples.filter((each) => each.name === name).map(({ labels, value }) => ({ ...labels, value }));
}

test('B053 B054: the metrics of a fleet are those of its loops added up by agent, with statuses and outcomes', () => {
  const text = textOf(
    [loopOf('verified'), loopOf('failed'), loopOf(undefined), loopOf(undefined, { agent: 'codex' })].map(measured),
    2,
  );
  expect(valuesOf(text, 'ralph_loop_loops')).toEqual([
    { agent: 'claude', status: 'completed', value: 1 },
    { agent: 'claude', status: 'failed', value: 1 },
    { agent: 'claude', status: 'running', value: 1 },
    { agent: 'codex', status: 'running', value: 1 },
  ]);
  expect(valuesOf(text, 'ralph_loop_loops_ended_total')).toEqual([
    { agent: 'claude', outcome: 'verified', value: 1 },
    { agent: 'claude', outcome: 'failed', value: 1 },
  ]);
  expect(valuesOf(text, 'ralph_loop_loops_unreadable')).toEqual([{ value: 2 }]);
  expect(valuesOf(text, 'ralph_loop_cost_usd_total')).toEqual([
    { agent: 'claude', value: 1.5 },
    { agent: 'codex', value: 0.5 },
  ]);
  expect(valuesOf(text, 'ralph_loop_iteration_duration_seconds_count')).toEqual([
    { agent: 'claude', value: 3 },
    { agent: 'codex', value: 1 },
  ]);
});

test('what loops that are over showed last is in no gauge; shares have their mean, and the rest adds up', () => {
  const text = textOf(
    [loopOf('verified', { passed: 4 }), loopOf(undefined, { passed: 1 }), loopOf(undefined, { passed: 2 })].map(
      measured,
    ),
  );
  expect(valuesOf(text, 'ralph_loop_tests_total')).toEqual([{ agent: 'claude', value: 8 }]);
  expect(valuesOf(text, 'ralph_loop_tests_passing')).toEqual([{ agent: 'claude', value: 3 }]);
  expect(valuesOf(text, 'ralph_loop_test_pass_rate')).toEqual([{ agent: 'claude', value: 0.375 }]);
});

test('a thousand loops have as many series as one, and no loop, project or model is a label', () => {
  const one = measured(loopOf('verified'));
  const many = Array.from({ length: 1_000 }, (_, index) => ({
    ...one,
    loop: { ...one.loop, id: `ralph-x-${index}`, origin: { ...one.loop.origin, workingDirectory: `/p/${index}` } },
    journal: { ...one.journal, model: `m${index}` },
  }));
  expect(textOf(many).samples.length).toBe(textOf([one]).samples.length);
  const labels = new Set(textOf(many).samples.flatMap((sample) => Object.keys(sample.labels)));
  expect([...labels].toSorted()).toEqual(['agent', 'le', 'outcome', 'status']);
});

test('B054: every metric of a single loop is one of the fleet too', () => {
  const loops = [measured(loopOf(undefined))];
  const names = fleetMetricsOf(loops, 0).map(({ name }) => name);
  expect(metricsOf(loops).flatMap(({ name }) => (name === 'info' || names.includes(name) ? [] : [name]))).toEqual([]);
});

test('what no run of an agent reported is absent, and never 0', () => {
  const text = textOf([loopOf(undefined, { paid: false }), loopOf(undefined, { agent: 'codex' })].map(measured));
  expect(valuesOf(text, 'ralph_loop_cost_usd_total')).toEqual([{ agent: 'codex', value: 0.5 }]);
  expect(valuesOf(text, 'ralph_loop_cost_usd_unreported_runs_total')).toEqual([
    { agent: 'claude', value: 1 },
    { agent: 'codex', value: 0 },
  ]);
});

function numbered(story: Story) {
  const { loop, journal } = measured(story);
  return { loop, model: journal.model, failures: [] };
}

test('the numbers say what a proven task costs, with and without those that ended in vain', () => {
  const numbers = numbersOf([loopOf('verified'), loopOf('failed'), loopOf(undefined)].map(numbered), 'UTC');
  expect(numbers).toMatchObject({ started: 3, ended: 2, proven: 1, alreadyGreen: 0, unproven: 0, successRate: 0.5 });
  expect(numbers.perProvenTask).toMatchObject({ costUsd: 0.5, costUnknown: 0, costUsdWithFailures: 1 });
  expect(numbers.cost).toEqual({ usd: 1.5, unknownLoops: 0 });
  expect(numbers.agents).toMatchObject([{ agent: 'claude', model: 'opus', started: 3, proven: 1 }]);
});

test('a loop whose checks passed before it began is no proven task, and lowers no price of one', () => {
  const { loop, ...rest } = numbered(loopOf('verified'));
  const { tests } = loop.verification.latest?.result ?? {};
  const baseline = { verdict: 'passed', checks: [], ...(tests && { tests }) } as const;
  const green = { ...rest, loop: { ...loop, verification: { ...loop.verification, baseline } } };
  const numbers = numbersOf([green, numbered(loopOf('verified'))], 'UTC');
  expect(numbers).toMatchObject({ ended: 2, proven: 1, alreadyGreen: 1, unproven: 0, successRate: 0.5 });
  expect(numbers.perProvenTask).toMatchObject({ costUsd: 0.5, costUsdWithFailures: 1 });
});

test('an unknown cost is unknown and never 0, for one loop, for an agent and for a day', () => {
  const numbers = numbersOf([loopOf('verified', { paid: false })].map(numbered), 'UTC');
  const unknown = { costUsd: null, costUnknown: 1, costUsdWithFailures: null };
  const cost = { usd: null, unknownLoops: 1 };
  expect(numbers).toMatchObject({ perProvenTask: unknown, cost });
  expect(numbers.agents).toMatchObject([{ perProvenTask: unknown, cost }]);
  expect(numbers.days).toMatchObject([{ perProvenTask: unknown, cost }]);
  const mixed = numbersOf([loopOf('verified', { paid: false }), loopOf('verified')].map(numbered), 'UTC');
  expect(mixed.perProvenTask).toMatchObject({ costUsd: 0.5, costUnknown: 1, costUsdWithFailures: null });
  expect(numbersOf([], 'UTC')).toMatchObject({ successRate: null, perProvenTask: { costUsd: null, runningMs: null } });
});

test('a loop that runs past midnight counts as started on one day and as ended on the next, in the given time zone', () => {
  const story = loopOf('verified');
  const at = (startedAt: string, endedAt: string) => {
    const { loop } = story;
    const moved = { ...loop, origin: { ...loop.origin, startedAt }, outcome: { ...loop.outcome, endedAt } };
    return { loop: moved, failures: [] };
  };
  const loops = [at('2026-11-01T23:30:00Z', '2026-11-02T00:10:00Z')];
  expect(numbersOf(loops, 'UTC').days).toMatchObject([
    { day: '2026-11-01', started: 1, ended: 0, cost: { usd: null } },
    { day: '2026-11-02', started: 0, ended: 1, proven: 1, cost: { usd: 0.5 } },
  ]);
  expect(numbersOf(loops, 'Europe/Berlin').days).toMatchObject([{ day: '2026-11-02', started: 1, ended: 1 }]);
});

test('a fleet without loops has only the number of those that cannot be read', () => {
  expect(textOf([], 1).samples).toEqual([{ name: 'ralph_loop_loops_unreadable', labels: {}, value: 1 }]);
});
