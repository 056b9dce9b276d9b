import { describe, expect, test } from 'vitest';
import { reportOf } from '../../src/app/adapters/agent-report.ts';
import { changed } from '../../src/core/testing/facts.ts';
import { type Story, startedStory } from '../../src/core/testing/story.ts';
import { type RecordedAgent, recordedAgents } from './agents.ts';
import { loadRecording, type Recording, readRecording, recordedCases } from './recording.ts';

const second = 1_000;
const minute = 60 * second;
/** Just after the recordings were made, and before the limits in them are over. */
const now = Date.parse('2026-11-15T22:12:00Z');
const limits: readonly string[] = ['rate_limited', 'usage_limited'];

/** A loop in which this is what the agent printed in its first run. */
function loopAfter({ createDialect }: RecordedAgent, recording: Recording): Story {
  const { claimText: _text, ...shown } = reportOf(readRecording(createDialect(), recording), undefined);
  const story = startedStory();
  story.nowMs = now;
  return story.run({ ...shown, ending: recording.ending, changes: changed(0) });
}

/** The recordings of an agent that hit a limit, by what was expected of them when they were made. */
function limitedCases({ name: agent, expectations }: RecordedAgent): readonly (readonly [string, string])[] {
  return recordedCases(agent).filter(([version, name]) => {
    const wanted = expectations[version]?.[name];
    return limits.includes(typeof wanted === 'string' ? wanted : (wanted?.outcome ?? ''));
  });
}

const all = recordedAgents.flatMap((agent) => limitedCases(agent).map(([version, name]) => ({ agent, version, name })));

test.each(all.map((each) => [`${each.agent.name} ${each.version} ${each.name}`, each] as const))(
  'B117, R7: the limit in the stream of %s is waited for as long as it says, and costs no iteration',
  (_title, { agent, version, name }) => {
    const recording = loadRecording(agent.name, version, name);
    const { resetAt } = readRecording(agent.createDialect(), recording);
    const story = loopAfter(agent, recording);
    const action = story.advance();
    expect(action).toMatchObject({ type: 'wait', cause: 'limit' });
    const waitMs = action.type === 'wait' ? Date.parse(action.until) - now : 0;
    const resetMs = resetAt === undefined ? undefined : Date.parse(resetAt) - now;
    const [least, most] = resetMs === undefined ? [minute, 1.1 * minute] : [resetMs + 5 * second, resetMs + minute];
    expect(waitMs).toBeGreaterThanOrEqual(least);
    expect(waitMs).toBeLessThanOrEqual(most);
    expect(story.loop).toMatchObject({ status: 'running', phase: 'waiting', position: { finished: 0 }, totals: { stats: { iterations: 0 } } });
    story.pass(waitMs - 1);
    expect(story.advance()).toEqual(action);
    story.pass(1);
    expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 2 });
  },
);

test('the recordings of limits are of every agent, with and without a reset, with exit 0 and with another', () => {
  expect([...new Set(all.map(({ agent }) => agent.name))].toSorted()).toEqual(
    recordedAgents.map(({ name }) => name).toSorted(),
  );
  const seen = all.map(({ agent, version, name }) => {
    const recording = loadRecording(agent.name, version, name);
    const { ending } = recording;
    const code = ending.kind === 'exited' ? ending.code : 1;
    const { resetAt } = readRecording(agent.createDialect(), recording);
    return `${resetAt === undefined ? 'no reset' : 'reset'}, ${code === 0 ? 'exit 0' : 'exit other'}`;
  });
  expect([...new Set(seen)].toSorted()).toEqual([
    'no reset, exit 0',
    'no reset, exit other',
    'reset, exit 0',
    'reset, exit other',
  ]);
});

/** What an agent may well say about its work without having hit anything. */
const talk =
  'Error 429: rate limit exceeded. You have hit your usage limit and it resets at 11pm (UTC). Overloaded, try again later. That is what the new test asserts.';

describe.each([
  ['claude', '2.1.325', 'stream-text'],
  ['claude', '2.1.325', 'json-arg'],
  ['codex', '0.166.0', 'json-arg'],
  ['gemini', '0.61.0', 'stream-text'],
  ['opencode', '1.18.33', 'json-arg'],
])('%s %s %s', (name, version, recorded) => {
  test('B117: an agent that merely talks about limits has hit none: nothing is waited for, and the run counts', () => {
    const agent = recordedAgents.find((each) => each.name === name);
    if (agent === undefined) throw new Error(`nothing was recorded of ${name}`);
    const recording = loadRecording(name, version, recorded);
    // Some agents print their answer piece by piece: one word of it is in one piece.
    const stdout = Buffer.from(Buffer.from(recording.stdout).toString().replaceAll('finished', talk));
    const talking = { ...recording, stdout };
    expect(readRecording(agent.createDialect(), talking).lastMessage).toContain(talk);
    const story = loopAfter(agent, talking);
    expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
    expect(story.loop).toMatchObject({ position: { finished: 1 }, pending: { retries: { limit: 0 } } });
    expect(story.facts.map(({ type }) => type)).not.toContain('wait.scheduled');
  });
});
