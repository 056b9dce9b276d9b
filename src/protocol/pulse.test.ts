import { expect, test } from 'vitest';
import { maxActivities, maxActivityLength, type Pulse, readPulse } from './index.ts';

const at = '2026-11-01T12:00:00.000Z';
const origin = { version: 1, loopId: 'ralph-x-a1b2c3d4', epoch: 2, at, iteration: 3, attempt: 1 } as const;

test.each<Pulse>([
  { ...origin, step: 'agent', since: at, recent: [] },
  {
    ...origin,
    step: 'agent',
    since: at,
    pid: 42,
    isAdopted: true,
    model: 'm',
    usage: { inputTokens: 5, outputTokens: 6, costUsd: 0.5, toolCalls: 1 },
    recent: [
      { number: 1, at, kind: 'tool', text: 'Bash npm test' },
      { number: 2, at, kind: 'text', text: 'Now', isOpen: true },
    ],
  },
  { ...origin, step: 'check', since: at, purpose: 'gate', index: 1, count: 2, command: 'npm test' },
  { ...origin, step: 'check', since: at, purpose: 'baseline', index: 2, count: 2, command: 'x', verdict: 'failed' },
])('a pulse written as JSON is read back unchanged: $step', (pulse) => {
  expect(readPulse(JSON.stringify(pulse))).toEqual(pulse);
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '7',
  JSON.stringify({ ...origin, version: 2, step: 'agent', since: at, recent: [] }),
  JSON.stringify({ ...origin, epoch: 'two', step: 'agent', since: at, recent: [] }),
  JSON.stringify({ ...origin, step: 'agent', since: at }),
  JSON.stringify({ ...origin, step: 'agent', recent: [] }),
  JSON.stringify({ ...origin, step: 'sleep', since: at }),
  JSON.stringify({ ...origin, step: 'check', since: at, purpose: 'gate', index: -1, count: 2, command: 'x' }),
])('what is no pulse of this version is ignored: %s', (text) => {
  expect(readPulse(text)).toBeUndefined();
});

test('unknown fields and activities are dropped, and the rest is kept within its bounds', () => {
  const good = { number: 1, at, kind: 'tool', text: 'x'.repeat(2 * maxActivityLength) };
  const recent = [...Array.from({ length: 30 }, () => good), { kind: 'tool' }, 'no', { ...good, kind: 'song' }];
  const pulse = readPulse(
    JSON.stringify({ ...origin, step: 'agent', since: at, pid: 'x', usage: { costUsd: 1, evil: {} }, recent }),
  );
  expect(pulse).toMatchObject({ usage: { costUsd: 1 } });
  expect(pulse).not.toHaveProperty('pid');
  if (pulse?.step !== 'agent') throw new Error('It is the pulse of an agent.');
  expect(pulse.recent.length).toBe(maxActivities - 3);
  expect(pulse.recent[0]?.text).toHaveLength(maxActivityLength);
});
