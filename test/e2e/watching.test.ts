import { expect, test } from 'vitest';
import { usual, writeCheck } from '../support/agents.ts';
import {
  type Begun,
  createProject,
  type Ended,
  eventually,
  jsonLines,
  type Project,
  type Running,
} from '../support/project.ts';
import { screenOf } from '../support/screen.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';

/** An agent that prints events as Claude Code does: run N prints what it does, waits for `go-N`, and is done. */
function writeStreamingAgent(project: Project): void {
  const usage = { input_tokens: 12_000, output_tokens: 300 };
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };
  const events = [
    { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' },
    { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'I run the tests.' }], usage } },
    { type: 'assistant', message: { id: 'm2', content: [call], usage, stop_reason: 'tool_use' } },
  ];
  const result = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > heard',
    'echo $$ >> started',
    ...events.map((event) => `echo '${JSON.stringify(event)}'`),
    'n=$(($(wc -l < started)))',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'touch done',
    `echo '${JSON.stringify(result)}'`,
  );
  project.write('ralphd.yml', 'iterationDelay: "0"\nagents: { claude: { command: ./agent.sh } }\n');
}

const id = 'ralph-live-a1b2c3d4';
const run = ['run', 'x', '--agent', 'claude', '--verify', './check.sh', '--loop-id', id];

function projectWithAgent(): Project {
  const project = createProject();
  writeStreamingAgent(project);
  writeCheck(project);
  return project;
}

const patience = { timeout: 10_000 };

test.skipIf(!hasTerminal)(
  'a run in a terminal shows what its agent does on one line, which is gone at the end',
  async () => {
    const project = projectWithAgent();
    const running = startInTerminal(project, [...run, '--plain']);
    const lastRow = () => screenOf(running.output().stdout).at(-1);
    await expect.poll(lastRow, patience).toMatch(/^ {2}agent \d+s {2}24k tokens {2}.*Bash npm test$/);
    // It lives: the time passes although nothing happens.
    await expect.poll(lastRow, patience).toMatch(/^ {2}agent (?:[2-9]|\d\d+)s /);
    project.write('go-1', '');
    const { stdout, code } = await running.ended;
    expect(code).toBe(0);
    const rows = screenOf(stdout);
    expect(rows.filter((row) => /^ {2}agent \d+s/.test(row))).toEqual([]);
    expect(rows.filter((row) => row !== '').slice(-2)).toEqual([
      expect.stringMatching(/^✓ completed and verified/),
      `  for the report: ralphd report ${id}`,
    ]);
  },
);

test('without a terminal there is no live line, and --verbose shows each tool call and message as a line', async () => {
  const project = projectWithAgent();
  project.write('go-1', '');
  const { stderr } = await project.ralphd(...run, '-v');
  expect(stderr).toContain('\n  message  I run the tests.\n  tool     Bash npm test\n');
  expect(stderr).not.toMatch(/\r|\u001b|^ {2}agent \d/m);
});

test('--quiet shows only the result, with --json too, and cannot be combined with --verbose', async () => {
  const project = projectWithAgent();
  project.write('go-1', '');
  project.write('go-2', '');
  const quiet = await project.ralphd(...run, '--quiet');
  expect(quiet).toMatchObject({ code: 0, stderr: '' });
  expect(quiet.stdout).toMatch(/^✓ completed and verified .*\n {2}for the report: .*\n$/);
  const json = await project.ralphd('run', 'x', '--agent', 'claude', '--verify', './check.sh', '-q', '--json');
  expect(jsonLines(json.stdout)).toMatchObject([{ type: 'loop.ended' }]);
  const both: Ended = await project.ralphd('run', 'x', ...usual, '-q', '-v');
  expect(both.code).toBe(64);
  expect(both.stderr).toContain('--quiet and --verbose contradict each other');
});

test('--verbose --json streams pulses among the facts', async () => {
  const project = projectWithAgent();
  const running = project.begin([...run, '-v', '--json']);
  await eventually(() => running.output().stdout).toContain('"type":"pulse"');
  project.write('go-1', '');
  const pulses = jsonLines((await running.ended).stdout).filter(({ type }) => type === 'pulse');
  expect(pulses).toContainEqual(
    expect.objectContaining({ loopId: id, step: 'agent', model: 'claude-opus-5-5', iteration: 1 }),
  );
  expect(pulses).toContainEqual(expect.objectContaining({ step: 'check', index: 1, count: 1, verdict: 'passed' }));
});

async function statusOf(project: Project): Promise<Record<string, unknown>> {
  return jsonLines((await project.ralphd('status', id, '--json')).stdout)[0] ?? {};
}

async function startRun(project: Project): Promise<Running> {
  const running = project.start([...run, '--json']);
  await eventually(() => project.has('started')).toBe(true);
  return running;
}

/** The same inside this process. */
async function beginRun(project: Project): Promise<Begun> {
  const running = project.begin([...run, '--json']);
  await eventually(() => project.has('started')).toBe(true);
  return running;
}

test.skipIf(!hasTerminal)(
  'B113: a user attaches to a loop from another terminal and detaches with Ctrl-C, which disturbs nothing',
  async () => {
    const project = projectWithAgent();
    const running = await beginRun(project);
    const watching = startInTerminal(project, ['watch', '--plain']);
    const screen = () => screenOf(watching.output().stdout);
    await expect.poll(() => screen().at(-1), patience).toMatch(/^ {2}agent \d+s {2}24k tokens {2}.*Bash npm test$/);
    expect(screen()).toContain('iteration 1');
    watching.press('\u0003');
    const left = await watching.ended;
    expect(left.code).toBe(130);
    expect(
      screenOf(left.stdout)
        .filter((row) => row !== '')
        .slice(-2),
    ).toEqual([`Stopped watching; ${id} continues. Watch it again:`, `  ralphd watch ${id}`]);
    project.write('go-1', '');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(jsonLines(stdout).filter(({ type }) => String(type).startsWith('command'))).toEqual([]);
  },
);

test('B113: watch shows the process of a loop die, another one resume it, the agent adopted, and the result', async () => {
  const project = projectWithAgent();
  const running = await startRun(project);
  const watching = project.start(['watch', id]);
  const seen = () => watching.output().stderr;
  await expect.poll(seen, patience).toContain('iteration 1');
  running.signal('SIGKILL');
  await expect.poll(seen, patience).toMatch(/process \d+, which ran the loop, died; nothing was lost/);
  const resumed = project.begin(['resume', id, '--json']);
  await expect.poll(seen, patience).toMatch(/adopted the running agent, process \d+/);
  project.write('go-1', '');
  expect((await resumed.ended).code).toBe(0);
  const ended = await watching.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).toMatch(/^✓ completed and verified/);
});

test('a loop that pauses is watched on until it ends; --exit-when-paused ends with the exit code of the pause', async () => {
  const project = projectWithAgent();
  const running = await beginRun(project);
  const watching = project.begin(['watch', id]);
  const leaving = project.begin(['watch', id, '--exit-when-paused']);
  await project.ralphd('pause', id, '--now');
  expect(await running.ended).toMatchObject({ code: 5 });
  expect(await leaving.ended).toMatchObject({ code: 5, stdout: expect.stringMatching(/^‖ paused \(user_pause\)/) });
  await expect.poll(() => watching.output().stderr, patience).toContain('still watching');
  expect(await project.ralphd('watch', id, '--exit-when-paused')).toMatchObject({ code: 5 });
  project.write('go-2', '');
  expect(await project.ralphd('resume', id)).toMatchObject({ code: 0 });
  expect(await watching.ended).toMatchObject({ code: 0 });
  expect(await project.ralphd('watch', id)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^✓ completed and verified/),
  });
});

test('watch --json streams facts and pulses, one object per line, and ends with the result', async () => {
  const project = projectWithAgent();
  const running = await beginRun(project);
  const watching = project.begin(['watch', id, '--json']);
  await expect.poll(() => watching.output().stdout, patience).toContain('"type":"pulse"');
  project.write('go-1', '');
  await running.ended;
  const objects = jsonLines((await watching.ended).stdout);
  expect(objects.find(({ type }) => type === 'pulse')).toMatchObject({
    loopId: id,
    step: 'agent',
    pid: expect.any(Number),
  });
  const facts = objects.filter(({ seq }) => seq !== undefined).map(({ seq }) => Number(seq));
  expect(facts).toEqual(Array.from(facts, (_, index) => index + (facts[0] ?? 0)));
  expect(objects.at(-1)).toMatchObject({ type: 'loop.ended', status: 'completed', exitCode: 0 });
});

test('a loop that is stopped with its process is not shown as working', async () => {
  const project = projectWithAgent();
  await startRun(project);
  const watching = project.start(['watch', id]);
  await expect.poll(() => watching.output().stderr, patience).toContain('iteration 1');
  const { owner } = (await statusOf(project)) as { readonly owner: { readonly pid: number } };
  const { pid } = owner;
  process.kill(pid, 'SIGSTOP');
  await expect.poll(() => watching.output().stderr, patience).toContain(`process ${pid} is stopped`);
  expect(await statusOf(project)).toMatchObject({ status: 'running', owner: { pid, alive: true, state: 'stopped' } });
  expect((await project.ralphd('status', id)).stdout).toContain('running, but its process is stopped');
  process.kill(pid, 'SIGCONT');
  await expect.poll(() => watching.output().stderr, patience).toContain(`process ${pid} continues`);
});

test('status shows what the agent is doing, since when and with which model, and what was requested', async () => {
  const project = projectWithAgent();
  const running = await beginRun(project);
  await expect
    .poll(async () => (await statusOf(project))['now'], patience)
    .toMatchObject({ step: 'agent', model: 'claude-opus-5-5', activity: { kind: 'tool', text: 'Bash npm test' } });
  const before = await statusOf(project);
  await project.ralphd('pause', id);
  const { stdout } = await project.ralphd('status', id);
  expect(stdout).toMatch(/now +the agent has been working for \d+s\n/);
  expect(stdout).toMatch(/activity +\d+s ago: Bash npm test\n/);
  expect(stdout).toMatch(/requested +pause after this iteration, from \S+@\S+ \(process \d+\)\n/);
  const after = await statusOf(project);
  expect(Number(after['runningMs'])).toBeGreaterThan(Number(before['runningMs']));
  expect(after).toMatchObject({ requested: ['pause'] });
  expect((await project.ralphd('ls')).stdout).toContain(' 0/100 ');
  project.write('go-1', '');
  await running.ended;
});

/** An agent whose provider answers with this error again and again; it works once `go` is there. */
function writeRejectedAgent(project: Project, error: string, status: number): void {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 500, error_status: status, error };
  const result = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > heard',
    `until [ -e go ]; do echo '${JSON.stringify(retry)}'; sleep 0.2; done`,
    'touch done',
    `echo '${JSON.stringify(result)}'`,
  );
  project.write('ralphd.yml', 'iterationDelay: "0"\nagents: { claude: { command: ./agent.sh } }\n');
}

test('a retry that cannot succeed is shown at once and ends the run instead of waiting for the agent to give up', async () => {
  const project = createProject();
  writeRejectedAgent(project, 'authentication_failed', 401);
  writeCheck(project);
  const { code, stderr, stdout } = await project.ralphd(...run);
  expect(stderr).toContain('  retry    authentication_failed (401), retry 1 in 0.5s\n');
  expect(stderr).toContain('was ended because retrying could not help');
  expect(code).toBe(78);
  expect(stdout).toMatch(/^‖ paused \(configuration\): .*authentication_failed \(401\)/);
});

test('a retry that may succeed is shown and left to the agent', async () => {
  const project = createProject();
  writeRejectedAgent(project, 'overloaded', 529);
  writeCheck(project);
  const running = project.begin(run);
  await expect.poll(() => running.output().stderr.split('overloaded (529)').length, patience).toBeGreaterThan(5);
  project.write('go', '');
  expect(await running.ended).toMatchObject({ code: 0 });
});
