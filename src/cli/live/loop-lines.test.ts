import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { AgentActivity, Fact, Pulse } from '../../protocol/index.ts';
import { paintFor } from '../output/paint.ts';
import { createLoopLines, type Verbosity } from './loop-lines.ts';

const at = '2026-11-01T12:00:00.000Z';
const view = { nowMs: Date.parse(at) + 5_000, columns: 80 };
const paint = paintFor(new PassThrough() as unknown as NodeJS.WriteStream);
const attempt = { iteration: 1, attempt: 1 };
const origin = { version: 1, loopId: 'ralph-x-a1b2c3d4', epoch: 1, at, ...attempt, since: at } as const;

function tell(verbosity: Verbosity) {
  const story = createLoopLines({ paint, verbosity });
  let seq = 0;
  const fact = (given: Fact) => story.fact({ ...given, seq: (seq += 1), at, epoch: 1 });
  const agent = (recent: readonly Partial<AgentActivity>[], more: Partial<Pulse> = {}) =>
    story.pulse({ ...origin, step: 'agent', ...more, recent: recent.map((each) => ({ at, ...each })) } as Pulse);
  return { story, fact, agent };
}

const started: Fact = {
  type: 'agent.started',
  data: { ...attempt, process: { host: '', bootId: '', pid: 7, startTime: '' } },
};
const limited: Fact = {
  type: 'wait.scheduled',
  data: { until: '2026-11-01T12:01:00.000Z', cause: 'limit', message: 'usage limit' },
};
const tool = { number: 1, kind: 'tool', text: 'Bash npm test' } as const;
const message = { number: 2, kind: 'text', text: 'It\nfails.' } as const;
const retry = { number: 3, kind: 'retry', text: 'overloaded (529), retry 1' } as const;

test('facts show the step at once, a pulse shows more of it, and its end returns to what the facts say', () => {
  const { story, fact, agent } = tell('normal');
  expect(story.live(view)).toBeUndefined();
  expect(fact(started)).toEqual([]);
  expect(story.live(view)).toBe('  agent 5s');
  expect(agent([tool])).toEqual([]);
  expect(story.live(view)).toBe('  agent 5s  Bash npm test');
  story.pulse(undefined);
  expect(story.live(view)).toBe('  agent 5s');
  fact(limited);
  expect(story.live(view)).toBe('  waiting 55s  usage limit');
  fact({
    type: 'iteration.started',
    data: { ...attempt, session: 'fresh', guidance: [], handOff: false, elapsedMs: 0 },
  });
  expect(story.live(view)).toBeUndefined();
});

test('a retry notice is a line of its own, once', () => {
  const { agent } = tell('normal');
  expect(agent([tool, message, retry])).toEqual(['  retry    overloaded (529), retry 1']);
  expect(agent([tool, message, retry])).toEqual([]);
});

test('verbose: each tool call and each finished message is a line, once', () => {
  const { story, agent } = tell('verbose');
  expect(agent([tool, { ...message, isOpen: true }])).toEqual(['  tool     Bash npm test']);
  expect(agent([tool, message])).toEqual(['  message  It fails.']);
  expect(agent([tool, message, { ...message, number: 3, isOpen: true, text: 'Almost' }])).toEqual([]);
  expect(story.pulse(undefined)).toEqual(['  message  Almost']);
  expect(agent([{ ...tool, text: 'Read a' }], { attempt: 2 })).toEqual(['  tool     Read a']);
});

test('an adopted agent is announced once', () => {
  const { agent } = tell('normal');
  const adopted = { isAdopted: true, pid: 7 } as const;
  expect(agent([], adopted)).toEqual(['  agent    adopted the running agent, process 7']);
  expect(agent([tool], adopted)).toEqual([]);
});

test('quiet: only problems are lines, and nothing is live', () => {
  const { story, fact, agent } = tell('quiet');
  expect(fact(started)).toEqual([]);
  expect(agent([tool, message, retry])).toEqual([]);
  expect(story.live(view)).toBeUndefined();
  expect(fact(limited).join('\n')).toContain('usage limit');
});
