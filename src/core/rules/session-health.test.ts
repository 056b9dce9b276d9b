import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopConfigInput, RebootAdvice } from '../../protocol/index.ts';
import { configOf } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { isDegraded, isFailing, levelOf, sampleQuality, sessionHealth } from './session-health.ts';

const continued: LoopConfigInput = { session: { strategy: 'continue' } };
const { progress, noProgress, failed } = sampleQuality;

/** The health of a session after a run with this usage; `undefined` for an agent that reports none. */
function healthAt(percent: number | undefined, config: LoopConfigInput = continued) {
  const usage = percent === undefined ? {} : { usage: { context: { used: percent * 10, size: 1_000 } } };
  const story = startedStory({ config }).run({ sessionId: 'one', estimatedTokens: 30_000, ...usage });
  story.advance();
  return sessionHealth(story.loop);
}

test.each([
  [0, 'low'],
  [49.9, 'low'],
  [50, 'medium'],
  [59.9, 'medium'],
  [60, 'high'],
  [69.9, 'high'],
  [70, 'warning'],
  [84.9, 'warning'],
  [85, 'redline'],
  [130, 'redline'],
])('B026 B027 B032: a context that is %d percent full is at the level %s', (percent, level) => {
  expect(levelOf(percent, configOf())).toBe(level);
});

test('B026: the levels follow the settings, and the redline wins over a warning above it', () => {
  const config = configOf({ contextRedlinePercent: 40, session: { warningPercent: 90 } });
  expect([39, 40, 95].map((percent) => levelOf(percent, config))).toEqual(['low', 'redline', 'redline']);
});

test('B026: a fuller context never has a lower level, whatever the thresholds', () => {
  const levels = ['low', 'medium', 'high', 'warning', 'redline'];
  const percent = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(
      percent,
      percent,
      fc.double({ min: 0, max: 150, noNaN: true }),
      fc.double({ min: 0, max: 50, noNaN: true }),
      (redline, warning, low, more) => {
        const config = configOf({ contextRedlinePercent: redline, session: { warningPercent: warning } });
        const [less, fuller] = [levelOf(low, config), levelOf(low + more, config)];
        expect(levels.indexOf(fuller)).toBeGreaterThanOrEqual(levels.indexOf(less));
      },
    ),
  );
});

test('B019 B028 B032: what the agent reports comes before an estimate', () => {
  expect(healthAt(12)?.context).toEqual({ percent: 12, level: 'low', source: 'reported' });
});

test('B019 B028 B032: without a report the context is estimated, and the estimate is called one', () => {
  expect(healthAt(undefined)?.context).toEqual({ percent: 30, level: 'low', source: 'estimated' });
});

test('B028: an estimate is never trusted with a reboot, however large it is', () => {
  const story = startedStory({ config: continued }).run({ sessionId: 'one', estimatedTokens: 10_000_000 });
  expect(story.advance()).toMatchObject({ type: 'begin', session: 'continue' });
  expect(sessionHealth(story.loop)).toMatchObject({
    context: { percent: 100, level: 'redline', source: 'estimated' },
    advice: 'finish_and_reboot',
  });
});

const sample = (quality: number, percent?: number, durationMs = 1_000) => ({
  quality,
  durationMs,
  ...(percent === undefined ? {} : { percent }),
});
const good = sample(progress, 10);

test.each([
  [
    'three iterations without progress while the context fills up',
    [good, good, sample(50), sample(50), sample(50, 11)],
    true,
  ],
  ['two of three without progress', [good, good, good, sample(50), sample(50, 11)], true],
  ['one bad iteration alone', [good, good, good, good, sample(failed, 11)], false],
  ['a drop of exactly 20 percent', [good, good, good, good, sample(40, 90)], false],
  ['a drop while the context stays as full', [good, good, sample(50), sample(50), sample(50, 10)], false],
  [
    'a drop while runs take exactly 50 percent longer',
    [good, good, sample(50, 10, 1_500), sample(50, 10, 1_500), sample(50, 10, 1_500)],
    false,
  ],
  [
    'a drop while runs take more than 50 percent longer',
    [good, good, sample(50, 10, 1_501), sample(50, 10, 1_501), sample(50, 10, 1_501)],
    true,
  ],
  [
    'a drop with unknown usage and unchanged speed',
    [sample(100), sample(100), sample(50), sample(50), sample(50)],
    false,
  ],
  ['work that was as bad before', [sample(50, 1), sample(50, 2), sample(50, 3), sample(50, 4), sample(50, 5)], false],
  ['only four iterations', [good, sample(50), sample(50), sample(failed, 99)], false],
])('B029 B032: degradation after %s: %#', (_case, samples, expected) => {
  expect(isDegraded({ samples })).toBe(expected);
});

test('B029: work that never gets worse is never degraded, whatever usage and speed do', () => {
  const rising = fc.tuple(...Array.from({ length: 5 }, () => fc.constantFrom(failed, noProgress, progress)));
  const one = fc.record({ durationMs: fc.nat(), percent: fc.nat(100) });
  fc.assert(
    fc.property(rising, fc.array(one, { minLength: 5, maxLength: 5 }), (qualities, others) => {
      const sorted = qualities.toSorted((a, b) => a - b);
      const samples = others.map((other, index) => ({ ...other, quality: sorted[index] ?? 0 }));
      expect(isDegraded({ samples })).toBe(false);
    }),
  );
});

test('a session fails when its latest two iterations failed', () => {
  expect(isFailing({ samples: [good, sample(failed), sample(failed)] })).toBe(true);
  expect(isFailing({ samples: [sample(failed), good, sample(failed)] })).toBe(false);
  expect(isFailing({ samples: [sample(failed)] })).toBe(false);
});

const byLevel: readonly [number, RebootAdvice, RebootAdvice][] = [
  [30, 'continue', 'finish_and_reboot'],
  [65, 'continue', 'finish_and_reboot'],
  [75, 'finish_and_reboot', 'immediate_reboot'],
  [90, 'immediate_reboot', 'immediate_reboot'],
];
test.each(byLevel)('B030 B032: at %d percent the advice is %s, and with degradation %s', (percent, alone, degraded) => {
  expect(healthAt(percent)?.advice).toBe(alone);
  const story = startedStory({ config: { session: { strategy: 'continue', reboot: { onDegradation: false } } } });
  story.run({ sessionId: 'one', usage: { context: { used: percent, size: 100 } } }).advance();
  const { loop } = story;
  const samples = [good, good, sample(50), sample(50), sample(50, 11)];
  const current = loop.session.current && { ...loop.session.current, samples };
  expect(current).toBeDefined();
  if (current !== undefined) {
    expect(sessionHealth({ ...loop, session: { ...loop.session, current } })?.advice).toBe(degraded);
  }
});

test('B030: without automatic reboots the advice is that a person decides', () => {
  const config: LoopConfigInput = { session: { strategy: 'continue', autoReboot: false } };
  expect([30, 75, 90].map((percent) => healthAt(percent, config)?.advice)).toEqual(['continue', 'manual', 'manual']);
});

test('with a fresh session for each iteration the level is shown and nothing is advised', () => {
  expect(healthAt(90, {})).toMatchObject({ isContinued: false, context: { level: 'redline' }, advice: 'continue' });
});
