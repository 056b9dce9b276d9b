import { expect, test } from 'vitest';
import { columnsOf } from '../../base/index.ts';
import type { AgentActivity, Pulse } from '../../protocol/index.ts';
import { liveLine } from './live-line.ts';
import type { LiveStep } from './live-step.ts';

const at = '2026-11-01T12:00:00.000Z';
const nowMs = Date.parse('2026-11-01T12:01:05.900Z');
const origin = { version: 1, loopId: 'ralph-x-a1b2c3d4', epoch: 1, at, iteration: 1, attempt: 1, since: at } as const;

function agent(text: string, kind: AgentActivity['kind'] = 'tool', more: object = {}): Pulse {
  const usage = { inputTokens: 10_000, outputTokens: 2_300, costUsd: 0.416, toolCalls: 7 };
  return { ...origin, step: 'agent', usage, recent: [{ number: 1, at, kind, text }], ...more };
}

test.each<[number, string]>([
  [120, '  agent 1m 5s  12k tokens  $0.42  7 tool calls  Bash npm test -- --reporter dot src/cart.test.ts'],
  [80, '  agent 1m 5s  12k tokens  $0.42  7 tool calls  Bash npm test -- --reporter do…'],
  [60, '  agent 1m 5s  12k tokens  $0.42  Bash npm test -- --repor…'],
  [40, '  agent 1m 5s  Bash npm test -- --repo…'],
  [20, '  agent 1m 5s  Bas…'],
  [10, '  agent …'],
])('in %i columns the line says what fits, the newest activity before numbers', (columns, expected) => {
  const line = liveLine(agent('Bash npm test -- --reporter dot src/cart.test.ts'), { nowMs, columns });
  expect(line).toBe(expected);
});

const step = { ...origin, step: 'check', purpose: 'gate', index: 2, count: 3, command: 'npm run lint' } as const;
test.each<[string, LiveStep, string | undefined]>([
  ['a check', step, '  check 2 of 3  1m 5s  npm run lint'],
  [
    'a message, by its last line',
    agent('First.\n\nNow the tests.\n', 'text', { usage: undefined }),
    '  agent 1m 5s  Now the tests.',
  ],
  [
    'a retry',
    agent('overloaded (529), retry 2', 'retry', { usage: {} }),
    '  agent 1m 5s  retrying: overloaded (529), retry 2',
  ],
  ['an agent of which nothing is known', { step: 'agent_started', since: at }, '  agent 1m 5s'],
  ['the gate before its first check', { step: 'gate', since: at }, '  checks 1m 5s'],
  ['hooks', { step: 'hooks', since: at }, '  hooks 1m 5s'],
  [
    'a wait, counted down',
    { step: 'wait', until: '2026-11-01T12:03:00.000Z', message: 'usage limit' },
    '  waiting 1m 55s  usage limit',
  ],
  ['a wait that is over', { step: 'wait', until: at, message: 'x' }, undefined],
])('the line shows %s', (_what, shown, expected) => {
  expect(liveLine(shown, { nowMs, columns: 80 })).toBe(expected);
});

test('nothing is shown where nothing happens', () => {
  expect(liveLine(undefined, { nowMs, columns: 80 })).toBeUndefined();
});

test('no width and no text makes the line wider than the terminal, or lets a control character through', () => {
  const texts = [
    '界'.repeat(200),
    '👩‍👩‍👧 family '.repeat(20),
    '\u001b[2J\u0007\u202eevil\r\nname',
    'e\u0301'.repeat(100),
    '',
  ];
  for (const text of texts) {
    for (let columns = 1; columns <= 130; columns += 1) {
      for (const shown of [agent(text), agent(text, 'text'), { ...step, command: text }]) {
        const line = liveLine(shown, { nowMs, columns }) ?? '';
        expect(columnsOf(line), `${columns}: ${line}`).toBeLessThan(Math.max(columns, 2));
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/u);
      }
    }
  }
});
