import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, runsOf, usual, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { loopFolder, onlyId, pathIn, readJson } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf, jsonLines, loopIds, type Project } from '../support/project.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';

/** The fields of /proc/<pid>/stat after the name: state, parent, group, session, terminal. */
function statOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function startDetached(project: Project, ...more: readonly string[]): Promise<Record<string, unknown>> {
  const ended = await project.ralphd(...runOf('--detach', ...more));
  expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: '' });
  const [answer = {}, ...others] = jsonLines(ended.stdout);
  expect(others).toEqual([]);
  return answer;
}

function letGo(project: Project): void {
  project.write('finish', '');
  project.write('go-1', '');
}

test('B113: a detached loop runs in a session of its own, without a terminal, with a private log in its folder', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const answer = await startDetached(project);
  // The starter ends only when the facts are there.
  expect(factsOf(project, 'loop.started')).toHaveLength(1);
  const pid = Number(answer['pid']);
  expect(answer).toEqual({
    type: 'loop.detached',
    loopId: onlyId(project),
    pid,
    log: pathIn(project, 'detached.log'),
    warnings: [],
  });
  const [, , group, session, terminal] = statOf(pid);
  expect([group, session, terminal]).toEqual([String(pid), String(pid), '0']);
  expect(statSync(pathIn(project, 'detached.log')).mode & 0o777).toBe(0o600);
  await eventually(() => runsOf(project)).toBe(1);
  letGo(project);
  await eventually(() => readJson(project, 'state.json')['status']).toBe('completed');
  await eventually(() => project.processes()).toEqual([]);
  expect(project.read(`${loopFolder(project)}/detached.log`)).toMatch(
    /^ralphd ralph-x-[^]*iteration 1\n[^]*✓ completed and verified/,
  );
  expect(readdirSync(path.join(project.folder, '.ralph')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('B113: the user learns how to watch, pause and stop a detached loop, and each of these works', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const ended = await project.ralphd('run', 'x', ...usual, '--detach', '--loop-id', 'ralph-x-a1b2c3d4');
  expect(ended.code).toBe(0);
  expect(ended.stdout.replace(/process \d+/, 'process 1')).toMatchInlineSnapshot(`
    "ralph-x-a1b2c3d4 runs in the background (process 1)
      watch   ralphd watch ralph-x-a1b2c3d4
      pause   ralphd pause ralph-x-a1b2c3d4
      stop    ralphd stop ralph-x-a1b2c3d4
      log     .ralph/loops/ralph-x-a1b2c3d4/detached.log
    "
  `);
  await eventually(() => runsOf(project)).toBe(1);
  expect((await project.ralphd('status', 'ralph-x-a1b2c3d4')).stdout).toContain('running');
  expect((await project.ralphd('pause', 'ralph-x-a1b2c3d4', '--now')).code).toBe(0);
  await eventually(() => project.processes()).toEqual([]);
  expect(readJson(project, 'state.json')).toMatchObject({ status: 'paused' });

  const resumed = await project.ralphd('resume', '--detach');
  expect(resumed.stdout).toContain('ralph-x-a1b2c3d4 runs in the background');
  await eventually(() => runsOf(project)).toBe(2);
  expect((await project.ralphd('stop', 'ralph-x-a1b2c3d4')).code).toBe(0);
  await eventually(() => project.processes()).toEqual([]);
  const log = project.read('.ralph/loops/ralph-x-a1b2c3d4/detached.log');
  expect(log.match(/^ralphd ralph-x-a1b2c3d4$/gm)).toHaveLength(2);
  expect(log).toMatch(/‖ paused \(user_pause\)[^]*✗ aborted \(user_abort\)/);
});

test('B113: a detached loop continues when its terminal is closed', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const terminal = startInTerminal(project, ['run', 'x', ...usual, '--detach']);
  expect(await terminal.ended).toMatchObject({ code: 0 });
  await eventually(() => runsOf(project)).toBe(1);
  const [owner = 0] = project.processes().filter((pid) => statOf(pid)[3] === String(pid));
  process.kill(owner, 'SIGHUP');
  letGo(project);
  await eventually(() => readJson(project, 'state.json')['status']).toBe('completed');
  await eventually(() => project.processes()).toEqual([]);
});

test.each([
  ['nothing to verify', ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh'], 78, 'NOTHING_TO_VERIFY'],
  ['an agent that is missing', ['run', 'x', ...usual, '--agent-command', './none.sh'], 78, 'AGENT_NOT_FOUND'],
  ['no state', runOf('--config', 'volatile.yml'), 78, 'BACKGROUND_NEEDS_STATE'],
  ['a resume of nothing', ['resume'], 64, 'NO_LOOPS'],
] as const)('%s is refused in the foreground, before anything is created', async (_what, args, exit, code) => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.write('volatile.yml', 'persistence:\n  enabled: false\n');
  const refused = await project.ralphd(...args, '--detach', '--json');
  expect(refused.code).toBe(exit);
  expect(endLine(refused)).toMatchObject({ type: 'error', code, exitCode: exit });
  expect(project.has('.ralph')).toBe(false);
  expect(project.processes()).toEqual([]);
});

test('what only the background process can find is reported by the starter as its own error', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const named = ['--loop-id', 'ralph-x-a1b2c3d4'];
  expect((await project.ralphd(...runOf(...named))).code).toBe(0);
  const here = await project.ralphd(...runOf(...named));
  const there = await project.ralphd(...runOf(...named, '--detach'));
  expect(there).toEqual(here);
  expect(endLine(there)).toMatchObject({ type: 'error', code: 'LOOP_EXISTS' });
  expect(readdirSync(path.join(project.folder, '.ralph')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a background process that dies before it has its loop is reported with its exit and its last line', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const file = path.join(path.dirname(project.folder), 'crash.cjs');
  writeFileSync(file, 'if (process.env.RALPHD_BACKGROUND) { console.error("out of luck"); process.exit(9); }');
  const ended = await project.start(runOf('--detach'), { NODE_OPTIONS: `--require ${file}` }).ended;
  expect(ended.code).toBe(1);
  expect(endLine(ended)).toMatchObject({
    code: 'BACKGROUND_FAILED',
    message: 'The loop does not run in the background: its process ended with exit code 9 ("out of luck").',
  });
  expect(loopIds(project)).toEqual([]);
});

test('a detached loop is refused to a second owner, in the foreground and in the background', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  await startDetached(project);
  await eventually(() => runsOf(project)).toBe(1);
  for (const more of [[], ['--detach']]) {
    const refused = await project.ralphd('resume', '--json', ...more);
    expect(endLine(refused)).toMatchObject({ code: 'LOOP_LOCKED', exitCode: 6 });
  }
  letGo(project);
  await eventually(() => project.processes()).toEqual([]);
});

test('B108 B113: the work of a loop that ran in the background continues in a new loop in the background', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const first = String((await startDetached(project, '--loop-id', 'nightly'))['loopId']);
  await eventually(() => readJson(project, 'state.json')['status']).toBe('completed');
  await eventually(() => project.processes()).toEqual([]);
  project.script('check.sh', 'test -f done', 'test -f more');
  project.script('agent.sh', 'cat > heard', 'touch more', 'echo "<promise>DONE</promise>"');
  const refused = await project.ralphd('resume', first, '-n', '9', '--detach', '--json');
  expect(endLine(refused)).toMatchObject({ code: 'RESUME_REFUSED', exitCode: 64 });
  const ended = await project.ralphd('resume', first, '--as-new', '--detach', '--json');
  expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: '' });
  const [{ loopId: second, pid, log } = {}] = jsonLines(ended.stdout);
  expect(second).not.toBe(first);
  expect(log).toContain(String(second));
  const statusOf = async (id: string) => jsonLines((await project.ralphd('status', id, '--json')).stdout)[0] ?? {};
  await eventually(async () => (await statusOf(String(second)))['status']).toBe('completed');
  await eventually(() => project.processes()).not.toContain(pid);
  expect(await statusOf(String(second))).toMatchObject({ resumedFrom: first, iteration: 1 });
  expect(await statusOf(first)).toMatchObject({ status: 'completed', continuedBy: second });
  expect(loopIds(project)).toHaveLength(2);
});

test('a secret reaches the agent of a detached loop by inheritance only: no argument and no file has it', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    '[ "$MY_API_KEY" = hunter2-hunter2 ] && touch seen',
    'echo $$ >> started',
    'until [ -e go-1 ]; do sleep 0.05; done',
    'touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  const ended = await project.ralphdWith({ MY_API_KEY: 'hunter2-hunter2' }, runOf('--detach'));
  const { pid } = jsonLines(ended.stdout)[0] ?? {};
  await eventually(() => runsOf(project)).toBe(1);
  for (const each of project.processes()) {
    expect(readFileSync(`/proc/${each}/cmdline`, 'latin1')).not.toContain('hunter2');
  }
  expect(readFileSync(`/proc/${Number(pid)}/environ`, 'latin1')).toContain('hunter2');
  project.write('go-1', '');
  await eventually(() => project.processes()).toEqual([]);
  expect(project.has('seen')).toBe(true);
  const files = readdirSync(path.join(project.folder, '.ralph'), { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    expect(readFileSync(path.join(file.parentPath, file.name), 'latin1')).not.toContain('hunter2');
  }
});
