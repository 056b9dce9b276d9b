import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { type Ended, factsOf, follow, type Running } from '../../support/project.ts';
import { launcher } from '../../support/ralphd-process.ts';
import { patiently } from '../judgement.ts';
import type { Scenario } from '../model-server/scenarios.ts';
import { startModelServer } from '../model-server/server.ts';
import { claude } from '../programs/claude.ts';
import { codex } from '../programs/codex.ts';
import type { Program } from '../programs/program.ts';
import { createTrial, type Trial } from '../trial.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

const task = 'Run start.sh and do what it says.';

/** The agents' own commands, started without ralphd. */
const launches: Readonly<Record<string, (session: string) => readonly string[]>> = {
  claude: (session) => [
    '-p',
    task,
    '--output-format',
    'stream-json',
    '--verbose',
    '--dangerously-skip-permissions',
    '--session-id',
    session,
  ],
  codex: () => [
    'exec',
    '--json',
    '--dangerously-bypass-approvals-and-sandbox',
    // Normally a person trusts the hook in the terminal; nobody can do that here.
    '--dangerously-bypass-hook-trust',
    '--skip-git-repo-check',
    task,
  ],
};

/** A project with the hook installed. */
async function preparedTrial(program: Program, scenario: Scenario): Promise<Trial> {
  const trial = createTrial(program, server, { scenario, settings: { maxIterations: 10 } });
  trial.script('start.sh', `exec "${process.execPath}" "${launcher}" hook start --loop-id in-session`);
  const installed = await trial.program('hook', 'install', program.adapter.name);
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  return trial;
}

function startAgent(trial: Trial, program: Program, session: string = randomUUID()): Running {
  const args = launches[program.adapter.name]?.(session) ?? [];
  const child = spawn(program.binary(), args, { cwd: trial.folder, env: trial.env });
  child.stdin.end();
  return follow(child);
}

const statusOf = async (trial: Trial) =>
  JSON.parse((await trial.program('status', '--json')).stdout) as Record<string, unknown>;

test.each([claude, codex])(
  'B132 B136 B137: $title continues in its session until claim and checks agree',
  async (program) => {
    const trial = await preparedTrial(program, 'in-session');
    const ended = await startAgent(trial, program).ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(await statusOf(trial), ended.stdout).toMatchObject({
      status: 'completed',
      verified: true,
      stats: { iterations: 3 },
    });
    expect(factsOf(trial, 'agent.finished').map(({ claimed }) => claimed)).toEqual([false, true, true]);
    expect(factsOf(trial, 'gate.finished').map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
    const sessions = factsOf(trial, 'session.stopped').map(({ session }) => (session as { id?: string }).id);
    expect(new Set(sessions).size).toBe(1);
  },
);

/** A project with a loop bound to the session that is about to start. */
async function boundTrial(program: Program, scenario: Scenario, session: string): Promise<Trial> {
  const trial = await preparedTrial(program, scenario);
  const started = await trial.program('hook', 'start', '--loop-id', 'in-session', '--session', session);
  expect(started, started.stderr).toMatchObject({ code: 0 });
  return trial;
}

async function expectWaiting(trial: Trial, ended: Ended): Promise<void> {
  expect(await statusOf(trial), ended.stdout).toMatchObject({
    status: 'running',
    iteration: 1,
    stats: { iterations: 0 },
  });
  expect(factsOf(trial, 'session.stopped')).toEqual([]);
}

test.each(['rate-limit', 'auth', 'context-full'] as const)(
  'B136: Claude Code is not kept from stopping: %s',
  async (scenario) => {
    const session = randomUUID();
    const trial = await boundTrial(claude, scenario, session);
    await expectWaiting(trial, await startAgent(trial, claude, session).ended);
  },
);

test('B136: Claude Code is not kept from stopping while a task runs in the background', async () => {
  const session = randomUUID();
  const trial = await boundTrial(claude, 'in-background', session);
  const running = startAgent(trial, claude, session);
  // In non-interactive mode it stays until the background task ends.
  await expect.poll(() => running.output().stdout, patiently).toContain('still run in the background');
  running.signal('SIGTERM');
  await expectWaiting(trial, await running.ended);
});

test('B136: Claude Code is not kept from stopping when its user interrupts it', async () => {
  const session = randomUUID();
  const trial = await boundTrial(claude, 'hang', session);
  const running = startAgent(trial, claude, session);
  await expect.poll(() => trial.asked().length, patiently).toBeGreaterThan(0);
  running.signal('SIGINT');
  await expectWaiting(trial, await running.ended);
});

test('B137: a session of Claude Code that has no loop stops, although another session has one', async () => {
  const trial = await boundTrial(claude, 'write', 'another-session');
  const ended = await startAgent(trial, claude).ended;
  expect(ended.code).toBe(0);
  await expectWaiting(trial, ended);
});
