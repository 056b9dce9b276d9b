import { expect, test } from 'vitest';
import type { InspectedIteration } from '../../app/index.ts';
import { columnsOf } from '../../base/index.ts';
import { accountOf, testsChangedBy } from '../../core/index.ts';
import { changed, counts } from '../../core/testing/facts.ts';
import { type Story, startedStory } from '../../core/testing/story.ts';
import { inspectLines } from './inspect-lines.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };

function found(story: Story, more: Partial<InspectedIteration> = {}): InspectedIteration {
  const account = accountOf(story.facts);
  if (account === undefined) throw new Error('there is no iteration');
  const { status, id } = story.loop;
  const none = { prompt: null, activity: null };
  return { loopId: id, status, agent: 'command', account, tests: testsChangedBy(account), ...none, ...more };
}

function linesOf(inspected: InspectedIteration, width = 80): readonly string[] {
  const options = { cwd: '/project', nowMs: Date.parse('2026-11-01T12:00:00.000Z'), wholePrompt: false };
  return inspectLines(inspected, { paint, width, ...options });
}

const activity = {
  lastWords: 'The last chunk was lost.\nNow it is carried over.',
  reportsTools: true,
  toolCalls: 14,
  failedCalls: 1,
  deniedCalls: 0,
  tools: [
    { name: 'Bash', calls: 9 },
    { name: 'Edit', calls: 5 },
  ],
  newestCalls: [
    { name: 'Edit', detail: 'src/reader.ts', ok: true },
    { name: 'Bash', detail: 'npm test', ok: false },
  ],
  troubles: [],
};

/** An iteration whose first attempt met a limit and whose second was refused. */
function refusedStory(): Story {
  const story = startedStory();
  story.run({ outcome: 'rate_limited', error: 'Too many requests' }).advance();
  const usage = { inputTokens: 1_000, outputTokens: 100, costUsd: 0.2, context: { used: 50, size: 100 } };
  const changes = changed(2, { lines: { added: 10, removed: 1 } });
  story.run({ claimed: true, usage, model: 'sonnet', sessionId: 'session-1', changes });
  const output = 'ok 1 - a\nnot ok 2 - b\n  expected 3, got 2\n';
  story.gate({ verdict: 'failed', tests: counts(2), output, doubts: ['vitest.config.ts'] }).advance();
  return story;
}

test('an iteration shows its attempts, what the agent did, what changed and what the checks found', () => {
  const { run } = found(refusedStory()).account.attempts.at(-1) ?? {};
  const files = [
    { path: 'src/reader.ts', added: 10, removed: 1 },
    { path: 'logo.png', added: null, removed: null },
  ];
  const prompt = { file: '/project/.ralph/prompt', bytes: 30, text: 'Do it.\nThen rest.\n' };
  const changes = { changes: run?.changes ?? changed(0), files };
  const lines = linesOf(found(refusedStory(), { activity, prompt, changes }));
  expect(lines.join('\n').replaceAll(/\b\d\d:\d\d\b/g, 'hh:mm')).toMatchInlineSnapshot(`
    "iteration 1 of ralph-fix-tests-a1b2c3d4
      judged    the agent claimed that the task is done; verdict of the checks:
                failed
                it made progress (score 0.30 of 1): 2 files changed
      started   hh:mm, took 1.5s (agent 1.0s, checks 0.5s)
      attempt   1 ran 1.0s and did not count: limit: Too many requests
      agent     exited with code 0, sonnet
      session   new session-1
      used      1100 tokens, $0.20, context 50 % full

      prompt: .ralph/prompt
      │ Do it.
      │ Then rest.

      what the agent did
      14 tool calls, 1 failed: Bash 9, Edit 5
      … 12 earlier; ralphd logs ralph-fix-tests-a1b2c3d4 1 --tools shows all
      ✓ Edit src/reader.ts
      ✗ Bash npm test

      the agent's last words
      │ The last chunk was lost.
      │ Now it is carried over.

      changes
      2 files, 10 lines added, 1 removed
      src/reader.ts  +10        −1
      logo.png            not text
      --diff shows the lines

      checks
      ✗ failed in 0.5s: npm test
        | not ok 2 - b
        | expected 3, got 2
      8 of 10 tests passed (tap)
      vitest.config.ts was changed and affects the checks"
  `);
});

test('an iteration fits a narrow terminal', () => {
  const lines = linesOf(found(refusedStory(), { activity }), 40);
  const words = lines.filter((line) => !line.includes('ralph-fix-tests-a1b2c3d4'));
  expect(Math.max(...words.map(columnsOf))).toBeLessThanOrEqual(40);
});

test('whatever an agent writes or names its files, nothing reaches the terminal but text, and its lines are quoted', () => {
  const evil = 'safe\u001b[2J\u202e\niteration 9 of other\n  judged    all is well';
  const story = startedStory().run({ claimed: true, error: evil, model: evil });
  story.gate({ verdict: 'failed', output: evil, tampered: [evil] }).advance();
  const changes = {
    changes: changed(1),
    files: [{ path: evil, added: 1, removed: 0 }],
    patch: { text: `diff --git a/x b/x\n+${evil}\n`, isWhole: false },
  };
  const prompt = { file: '/project/p', bytes: 9, text: evil };
  const calls = [{ name: evil, detail: evil, ok: null }];
  const hostile = { ...activity, lastWords: evil, newestCalls: calls, troubles: [evil] };
  const lines = linesOf(found(story, { changes, prompt, activity: hostile }));
  expect(lines.join('\n')).not.toMatch(/\u001b|\u202e/);
  expect(lines.filter((line) => line.startsWith('iteration'))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('  judged'))).toHaveLength(1);
});

test('an unfinished or interrupted iteration is shown as such', () => {
  expect(linesOf(found(startedStory().reach('executing')))[1]).toBe('  judged    the agent is working');
  expect(linesOf(found(startedStory().reach('verifying')))[1]).toBe('  judged    the checks are running');
  const lost = found(startedStory().reach('executing'), { status: 'crashed' });
  expect(linesOf(lost)[1]).toBe('  judged    it stopped while the agent was working');
});
