import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
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
const launches: Readonly<Record<string, (session: string, prompt: string) => readonly string[]>> = {
  claude: (session, prompt) => [
    '-p',
    prompt,
    '--output-format',
    'stream-json',
    '--verbose',
    '--dangerously-skip-permissions',
    '--session-id',
    session,
  ],
  codex: (_, prompt) => [
    'exec',
    '--json',
    '--dangerously-bypass-approvals-and-sandbox',
    // Normally a person trusts the hook in the terminal; nobody can do that here.
    '--dangerously-bypass-hook-trust',
    '--skip-git-repo-check',
    prompt,
  ],
};

/** A project with the hook installed. */
async function preparedTrial(program: Program, scenario: Scenario): Promise<Trial> {
  const trial = createTrial(program, server, { scenario, settings: { maxIterations: 10 } });
  trial.script('start.sh', `exec "${process.execPath}" "${launcher}" hook start --loop-id in-session`);
  const installed = await trial.program('hook', 'install', program.adapter.name);
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  addWitness(trial, settingsFiles[program.adapter.name] ?? '');
  return trial;
}

const settingsFiles: Readonly<Record<string, string>> = {
  claude: '.claude/settings.local.json',
  codex: '.codex/hooks.json',
};

/** A second Stop hook, which shows whether the agent ran its hooks at all. */
function addWitness(trial: Trial, file: string): void {
  const settings = JSON.parse(trial.read(file)) as { readonly hooks: { readonly Stop: object[] } };
  settings.hooks.Stop.push({ hooks: [{ type: 'command', command: `touch ${path.join(trial.folder, witness)}` }] });
  trial.write(file, JSON.stringify(settings));
}

const witness = 'hooks-ran';

function startAgent(
  trial: Trial,
  program: Program,
  { session = randomUUID(), prompt = task }: { readonly session?: string; readonly prompt?: string } = {},
): Running {
  const args = launches[program.adapter.name]?.(session, prompt) ?? [];
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

/** An agent at work on a loop that waits for its session. */
interface Bound {
  readonly trial: Trial;
  readonly running: Running;
}

/** Codex chooses the id of its session, so its loop is bound to the session that has the loop's first prompt. */
async function startBound(program: Program, scenario: Scenario): Promise<Bound> {
  const trial = await preparedTrial(program, scenario);
  const session = randomUUID();
  const binding = program === codex ? [] : ['--session', session];
  const started = await trial.program('hook', 'start', '--loop-id', 'in-session', ...binding);
  expect(started, started.stderr).toMatchObject({ code: 0 });
  const prompt = program === codex ? started.stdout : task;
  return { trial, running: startAgent(trial, program, { session, prompt }) };
}

/** The agent did not even run its hooks, and the loop waits. */
async function expectUnasked(trial: Trial, ended: Ended): Promise<void> {
  expect(trial.has(witness)).toBe(false);
  await expectWaiting(trial, ended);
}

async function expectWaiting(trial: Trial, ended: Ended): Promise<void> {
  expect(await statusOf(trial), ended.stdout).toMatchObject({
    status: 'running',
    iteration: 1,
    stats: { iterations: 0 },
  });
  expect(factsOf(trial, 'session.stopped')).toEqual([]);
}

test.each([claude, codex])('B137: a loop of $title belongs to the session that it waits for', async (program) => {
  const { trial, running } = await startBound(program, 'write');
  const ended = await running.ended;
  expect(await statusOf(trial), ended.stdout).toMatchObject({ status: 'completed', verified: true });
  expect(trial.has(witness)).toBe(true);
});

const refusals = ['rate-limit', 'rate-limit-later', 'usage-limit', 'auth', 'context-full'] as const;

test.each(refusals.flatMap((scenario) => [claude, codex].map((program) => ({ ...program, program, scenario }))))(
  'B136: $title is not kept from stopping: $scenario',
  async ({ program, scenario }) => {
    const { trial, running } = await startBound(program, scenario);
    await expectUnasked(trial, await running.ended);
    expect(trial.asked().at(-1)?.reply).toBe('refusal');
  },
);

test('B136: Claude Code is not kept from stopping while a task runs in the background', async () => {
  const { trial, running } = await startBound(claude, 'in-background');
  // In non-interactive mode it stays until the background task ends.
  await expect.poll(() => running.output().stdout, patiently).toContain('still run in the background');
  running.signal('SIGTERM');
  await expectWaiting(trial, await running.ended);
});

test.each(
  (['hang', 'hang-midway'] as const).flatMap((scenario) =>
    [claude, codex].map((program) => ({ ...program, program, scenario })),
  ),
)('B136: $title is not kept from stopping when its user interrupts it: $scenario', async ({ program, scenario }) => {
  const { trial, running } = await startBound(program, scenario);
  await expect.poll(() => trial.asked().length, patiently).toBeGreaterThan(0);
  running.signal('SIGINT');
  await expectUnasked(trial, await running.ended);
});

test('B137: a session of Claude Code that has no loop stops, although another session has one', async () => {
  const trial = await preparedTrial(claude, 'write');
  const started = await trial.program('hook', 'start', '--loop-id', 'in-session', '--session', 'another-session');
  expect(started, started.stderr).toMatchObject({ code: 0 });
  const ended = await startAgent(trial, claude).ended;
  expect(ended.code).toBe(0);
  await expectWaiting(trial, ended);
});
