import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type CommandLine, createCommandLine, type Ended } from '../testing/command-line.ts';

/** What Claude Code 2.1.325 gave to its Stop hook, recorded; only paths and texts differ. */
function stopOf(line: CommandLine, change: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    session_id: '392cfa5a-9258-4ee7-93d6-c8b0a9df7548',
    transcript_path: path.join(line.folder, 'transcript.jsonl'),
    cwd: line.folder,
    prompt_id: 'b505d96b-0471-4ece-b485-3918bc1b2ddd',
    permission_mode: 'bypassPermissions',
    effort: { level: 'medium' },
    hook_event_name: 'Stop',
    stop_hook_active: false,
    last_assistant_message: 'Half of it is done.',
    background_tasks: [],
    session_crons: [],
    ...change,
  });
}

const session = { CLAUDE_CODE_SESSION_ID: '392cfa5a-9258-4ee7-93d6-c8b0a9df7548' };
const claim = { last_assistant_message: 'Everything is done.\n\n<promise>DONE</promise>' };
const runHook = ['hook', 'run', 'claude', '--timeout', '900s'];

interface Answer {
  readonly decision?: string;
  readonly reason?: string;
  readonly systemMessage?: string;
}

function answerIn({ code, stdout }: Ended): Answer {
  expect(code).toBe(0);
  return stdout === '' ? {} : (JSON.parse(stdout) as Answer);
}

async function start(
  line: CommandLine,
  more: readonly string[] = [],
  env: NodeJS.ProcessEnv = session,
): Promise<Ended> {
  return await line.run(
    [
      'hook',
      'start',
      'Make the file "done".',
      '--verify',
      './check.sh',
      '--no-baseline',
      '--no-auto-test',
      '--loop-id',
      'fix',
      ...more,
    ],
    env,
  );
}

async function statusOf(line: CommandLine): Promise<Record<string, unknown>> {
  return JSON.parse((await line.run(['status', '--json'])).stdout) as Record<string, unknown>;
}

test('B132: a session continues until its claim and the checks agree, and every stop is an iteration', async () => {
  const line = createCommandLine();
  const started = await start(line);
  expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('RALPHD LOOP 1/100') });
  expect(await statusOf(line)).toMatchObject({
    status: 'running',
    iteration: 1,
    owner: null,
    session: { agent: 'claude', id: session.CLAUDE_CODE_SESSION_ID },
  });

  line.write('work', 'half');
  const first = answerIn(await line.feed(stopOf(line), runHook));
  expect(first).toMatchObject({ decision: 'block', reason: expect.stringContaining('RALPHD LOOP 2/100') });

  line.write('work', 'more');
  const second = answerIn(await line.feed(stopOf(line, { ...claim, stop_hook_active: true }), runHook));
  expect(second).toMatchObject({ decision: 'block', reason: expect.stringContaining('RALPHD LOOP 3/100') });
  expect(second.reason).toContain('Check results after iteration 2');

  line.write('done', '');
  const third = answerIn(await line.feed(stopOf(line, claim), runHook));
  expect(third.decision).toBeUndefined();
  expect(third.systemMessage).toContain('is completed: the checks passed.');
  expect(await statusOf(line)).toMatchObject({ status: 'completed', verified: true, stats: { iterations: 3 } });
});

test('B137: the hook leaves every other session alone', async () => {
  const line = createCommandLine();
  await start(line);
  const other = { session_id: 'another-session', ...claim };
  expect(answerIn(await line.feed(stopOf(line, other), runHook))).toEqual({});
  expect(await statusOf(line)).toMatchObject({ iteration: 1, status: 'running' });
});

test('B137: a loop whose session was not named belongs to the session that has seen its UUID', async () => {
  const line = createCommandLine();
  const { stdout } = await start(line, ['--json'], {});
  const { uuid } = JSON.parse(stdout) as { uuid: string };
  line.write('transcript.jsonl', '{"type":"user"}\n');
  expect(answerIn(await line.feed(stopOf(line), runHook))).toEqual({});
  line.write('transcript.jsonl', `{"type":"user","text":"${uuid}"}\n`);
  expect(answerIn(await line.feed(stopOf(line), runHook)).decision).toBe('block');
  line.write('transcript.jsonl', '');
  expect(answerIn(await line.feed(stopOf(line), runHook)).decision).toBe('block');
});

test('B136: a session may stop when it waits, cannot continue or was stopped; that is no iteration', async () => {
  const line = createCommandLine();
  await start(line);
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ background_tasks: [{ id: 'b1', type: 'shell', status: 'running' }] }, 'still run in the background'],
    [{ session_crons: [{ id: 'c1' }] }, 'scheduled a wake-up'],
    [{ permission_mode: 'plan' }, 'only plans'],
    [{ stop_reason: 'user_interrupt' }, 'did not end by itself'],
    [{ stop_reason: 'model_context_window_exceeded' }, 'did not end by itself'],
    [{ hook_event_name: 'SubagentStop' }, 'not the end of a turn'],
  ];
  for (const [change, words] of cases) {
    const answer = answerIn(await line.feed(stopOf(line, { ...claim, ...change }), runHook));
    expect(answer).toEqual({ systemMessage: expect.stringContaining(words) });
  }
  for (const error of ['rate_limit', 'authentication_failed', 'invalid_request']) {
    const entries = [{ type: 'user' }, { type: 'assistant', isApiErrorMessage: true, error }];
    line.write('transcript.jsonl', entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const answer = answerIn(await line.feed(stopOf(line, claim), runHook));
    expect(answer).toEqual({ systemMessage: expect.stringContaining('the provider refused a request') });
  }
  expect(await statusOf(line)).toMatchObject({ status: 'running', iteration: 1, stats: { iterations: 0 } });
});

test('B136: a loop that was paused or ended outside lets its session stop', async () => {
  const line = createCommandLine();
  await start(line);
  expect((await line.run(['pause', 'fix'])).code).toBe(0);
  expect(answerIn(await line.feed(stopOf(line, claim), runHook))).toEqual({});
  expect(await statusOf(line)).toMatchObject({ status: 'paused' });
  await line.run(['abort', 'fix']);
  expect(answerIn(await line.feed(stopOf(line, claim), runHook))).toEqual({});
});

test('a resume outside takes the loop out of its session, which may then stop', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'agentCommand: ./agent.sh\nagent: command\n');
  await start(line);
  const resumed = await line.run(['resume', 'fix', '--json']);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(await statusOf(line)).toMatchObject({ status: 'completed', verified: true });
  expect(answerIn(await line.feed(stopOf(line), runHook))).toEqual({});
});

test('B138: the last iteration that is allowed ends the loop, and no setting allows more than the ceiling', async () => {
  const line = createCommandLine();
  await start(line, ['-n', '1']);
  const answer = answerIn(await line.feed(stopOf(line, { stop_hook_active: true }), runHook));
  expect(answer.decision).toBeUndefined();
  expect(answer.systemMessage).toContain('is failed');
  await start(line, ['-n', '0', '--loop-id', 'endless']);
  expect(await statusOf(line)).toMatchObject({ maxIterations: 500 });
});

test('an agent that ralphd started itself is never kept from stopping', async () => {
  const line = createCommandLine();
  await start(line);
  const answer = await line.feed(stopOf(line, claim), runHook, { RALPHD_LOOP_ID: 'ralph-other-a1b2c3d4' });
  expect(answerIn(answer)).toEqual({});
});

test.each([
  ['input that is not JSON', 'nonsense', 'it is not a JSON object'],
  ['input without a session', '{}', '"session_id" is missing'],
])('the hook fails open: %s lets the session stop and says why', async (_case, input, why) => {
  const line = createCommandLine();
  const ended = await line.feed(input, runHook);
  expect(answerIn(ended)).toEqual({ systemMessage: expect.stringContaining(why) });
  expect(ended.stderr).toContain(why);
});

test('B139: the hook fails open: a transcript that is a link lets the session stop, and the loop stays as it is', async () => {
  const line = createCommandLine();
  await start(line);
  const transcript = path.join(line.folder, 'transcript.jsonl');
  symlinkSync('/etc/passwd', transcript);
  const ended = await line.feed(stopOf(line, claim), runHook);
  expect(answerIn(ended).decision).toBeUndefined();
  expect(ended.stderr).toContain('the loop was not continued');
  rmSync(transcript);
  line.write('done', '');
  expect(answerIn(await line.feed(stopOf(line, claim), runHook)).systemMessage).toContain('is completed');
});

test('checks that take longer than the hook may prove nothing: the loop is paused', async () => {
  const line = createCommandLine();
  writeFileSync(path.join(line.folder, 'check.sh'), '#!/bin/sh\ntail -f /dev/null\n');
  await start(line);
  line.write('work', 'more');
  const ended = await line.feed(stopOf(line, claim), ['hook', 'run', 'claude', '--timeout', '1s']);
  expect(answerIn(ended).systemMessage).toContain('took longer than the hook may, so nothing is proven');
  expect(ended.stderr).toContain('took longer than the hook may');
  expect(await statusOf(line)).toMatchObject({ status: 'paused', verified: false });
});

test('a second loop in the same session is refused', async () => {
  const line = createCommandLine();
  await start(line);
  const second = await line.run(['hook', 'start', 'Something else', '--trust-promise'], session);
  expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining('already works on loop ralph-fix') });
});

test.each([
  ['worktree', 'worktree: true'],
  ['maxCostUsd', 'maxCostUsd: 5'],
  ['mode', 'attended: true'],
])('a loop in a session cannot have the setting %s', async (setting, text) => {
  const line = createCommandLine();
  line.write('ralphd.yml', `${text}\n`);
  const refused = await start(line);
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining(`"${setting}"`) });
  expect(line.has('.ralph')).toBe(false);
});
