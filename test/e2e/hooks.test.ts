import { expect, test } from 'vitest';
import { startReceiver } from '../../src/notify/testing/receiver.ts';
import { runOf, writeBusyAgent, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { readJson } from '../support/loop-files.ts';
import {
  createProject,
  endLine,
  eventually,
  factsOf,
  journalOf,
  type Project,
  promptOf,
  stateOf,
} from '../support/project.ts';

interface Hook {
  readonly name: string;
  readonly at: readonly string[];
  readonly run?: string | readonly string[];
  readonly [setting: string]: unknown;
}

/** A project with a check, an agent that never claims to be done, and hooks. */
function projectWith(...hooks: readonly Hook[]): Project {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', `baseline: false\niteration: { killGrace: 200ms }\nhooks: ${JSON.stringify(hooks)}\n`);
  return project;
}

const both = ['pre_iteration', 'post_iteration'];
const log = 'echo "$RALPHD_ITERATION $RALPHD_HOOK_POINT $RALPHD_HOOK" >> log';

test('A081, A084, B072: hooks run before and after each iteration, by priority and by their conditions', async () => {
  const project = projectWith(
    { name: 'late', at: both, run: log, priority: -1 },
    { name: 'early', at: both, run: ['sh', '-c', log], priority: 5 },
    { name: 'second', at: ['pre_iteration'], run: log, everyN: 2 },
    { name: 'off', at: both, run: log, enabled: false },
    { name: 'moved', at: ['on_progress'], run: log },
    { name: 'broke', at: ['on_error'], run: log },
    { name: 'worked', at: ['post_iteration'], run: log, ifStatus: ['completed'] },
  );
  project.script(
    'agent.sh',
    'cat > heard',
    'echo agent >> log',
    'grep -q "LOOP 2/" heard && exit 3',
    'echo more >> work',
  );
  const ended = await project.ralphd(...runOf('-n', '2'));
  expect(endLine(ended)).toMatchObject({ reason: 'max_iterations', iterations: 2 });
  expect(project.read('log').trimEnd().split('\n')).toEqual([
    '1 pre_iteration early',
    '1 pre_iteration late',
    'agent',
    '1 post_iteration early',
    '1 on_progress moved',
    '1 post_iteration worked',
    '1 post_iteration late',
    '2 pre_iteration early',
    '2 pre_iteration second',
    '2 pre_iteration late',
    'agent',
    '2 post_iteration early',
    '2 on_progress moved',
    '2 on_error broke',
    '2 post_iteration late',
  ]);
  const types = journalOf(project).map(({ type }) => type);
  expect(types.slice(types.indexOf('iteration.started'), types.indexOf('iteration.finished') + 1)).toEqual([
    'iteration.started',
    'hooks.started',
    'hooks.finished',
    'agent.started',
    'agent.finished',
    'hooks.started',
    'hooks.finished',
    'iteration.finished',
  ]);
});

test('B070: a hook adds to the prompt of its iteration, and its values reach later hooks and the record', async () => {
  const project = projectWith(
    { name: 'ask', at: ['pre_iteration'], run: `echo '{"prompt":"The schema is at 7.","data":{"schema":7}}'` },
    { name: 'tell', at: ['post_iteration'], run: `cat > told; echo '{"data":{"told":true}}'` },
  );
  writeHonestAgent(project);
  expect((await project.ralphd(...runOf('-n', '3'))).code).toBe(0);
  expect(project.read('heard')).toContain('## Added by hooks\n\nThe schema is at 7.\n\n## Task\n');
  expect(promptOf(project, 1)).toBe(project.read('heard'));
  expect(JSON.parse(project.read('told'))).toMatchObject({
    hook: 'tell',
    point: 'post_iteration',
    iteration: 1,
    attempt: 1,
    status: 'completed',
    claimed: true,
    verdict: 'passed',
    changes: { created: ['done', 'heard'] },
    data: { schema: '7' },
  });
  const record = readJson(project, 'iterations/001/attempt-1/result.json');
  expect(record).toMatchObject({ status: 'completed', metadata: { schema: '7', told: 'true' } });
});

test('B070: a hook before the agent stops the loop with 4 and its reason, and the agent never runs', async () => {
  const project = projectWith({
    name: 'freeze',
    at: ['pre_iteration'],
    run: `echo '{"continue":false,"reason":"frozen"}'`,
  });
  const ended = await project.ralphd(...runOf());
  expect(ended.code).toBe(4);
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'script', iterations: 0, exitCode: 4 });
  expect(stateOf(project).ralphd).toMatchObject({ message: 'the hook "freeze" asked to stop: frozen' });
  expect(project.has('heard')).toBe(false);
});

test('B070: a hook after the agent stops the loop once the iteration has been counted', async () => {
  const project = projectWith({
    name: 'enough',
    at: ['on_progress'],
    run: `echo '{"continue":false,"reason":"enough"}'`,
  });
  const ended = await project.ralphd(...runOf());
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'script', iterations: 1, exitCode: 4 });
});

test('B072: a failing hook is reported to the user and changes nothing', async () => {
  const project = projectWith(
    { name: 'weak', at: ['pre_iteration'], run: 'echo oh no >&2; exit 3' },
    { name: 'gone', at: ['post_iteration'], run: ['./no-such-hook'] },
  );
  const ended = await project.ralphd(...runOf('-n', '1').filter((flag) => flag !== '--json'));
  expect(ended.code).toBe(2);
  expect(ended.stderr + ended.stdout).toMatch(/hook +weak: it exited with code 3\n/);
  expect(ended.stderr + ended.stdout).toMatch(/hook +gone: it could not be started/);
  expect(factsOf(project, 'hooks.finished')[0]).toMatchObject({
    results: [{ name: 'weak', ok: false, output: 'oh no\n' }],
  });
});

test('B070: a hook that must not fail pauses the loop with 5, and a resume continues where it was', async () => {
  const project = projectWith({ name: 'ready', at: ['pre_iteration'], run: 'test -f ready', fatal: true });
  const ended = await project.ralphd(...runOf('-n', '2'));
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'environment', iterations: 0, exitCode: 5 });
  expect(project.has('heard')).toBe(false);
  project.write('ready', '');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ reason: 'max_iterations', iterations: 2 });
});

test('B072: a hook that takes too long is ended with everything it started', async () => {
  const sleeper = 'setsid sleep 1000 & sleep 1000 & trap "" TERM; echo $$ > hung; while :; do sleep 1; done';
  const project = projectWith({ name: 'slow', at: ['pre_iteration'], run: sleeper, timeout: '3s' });
  const running = project.start(runOf('-n', '1'));
  expect((await running.ended).code).toBe(2);
  expect(project.has('hung')).toBe(true);
  expect(project.processes()).toEqual([]);
  expect(factsOf(project, 'hooks.finished')[0]).toMatchObject({
    results: [{ ok: false, error: 'it was ended because it took longer than 3s' }],
  });
});

test('A048: Ctrl-C ends a hook at once and leaves the loop paused; a resume runs the hook again', async () => {
  const project = projectWith({ name: 'slow', at: ['pre_iteration'], run: 'echo x >> begun; [ -e go ] || sleep 1000' });
  const running = project.start(runOf('-n', '1'));
  await eventually(() => project.read('begun')).toBe('x\n');
  running.signal('SIGINT');
  expect((await running.ended).code).toBe(130);
  expect(project.processes()).toEqual([]);
  expect(project.has('heard')).toBe(false);
  project.write('go', '');
  expect((await project.ralphd('resume', '--json')).code).toBe(2);
  expect(project.read('begun')).toBe('x\nx\n');
});

test('A084: hooks that a dead owner left behind are ended and run again; those that had finished are not', async () => {
  const project = projectWith(
    { name: 'before', at: ['pre_iteration'], run: 'echo x >> before' },
    { name: 'after', at: ['post_iteration'], run: 'echo $$ >> after; [ -e go ] || sleep 1000' },
  );
  writeSteppedAgent(project);
  project.write('go-1', '');
  const running = project.start(runOf('-n', '1'));
  await eventually(() => project.has('after')).toBe(true);
  running.signal('SIGKILL');
  await running.ended;
  project.write('go', '');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ reason: 'max_iterations', iterations: 1 });
  expect(project.read('before')).toBe('x\n');
  expect(project.read('started').trimEnd().split('\n')).toHaveLength(1);
  expect(project.read('after').trimEnd().split('\n')).toHaveLength(2);
  expect(project.processes()).toEqual([]);
});

test('a secret of the environment reaches a hook, and nothing that ralphd writes, even when the hook prints it', async () => {
  const secret = 'hush-4f1c-88d2-e0aa';
  const say = 'cat > told; echo "{\\"data\\":{\\"key\\":\\"$MY_API_KEY\\"}}"; echo "$MY_API_KEY" >&2';
  const project = projectWith({ name: 'chatty', at: both, run: `test \${#MY_API_KEY} -eq 19 && { ${say}; }` });
  const ended = await project.ralphdWith({ MY_API_KEY: secret }, runOf('-n', '1'));
  expect(ended.code).toBe(2);
  expect(factsOf(project, 'hooks.finished')).toMatchObject([{ results: [{ ok: true }] }, { results: [{ ok: true }] }]);
  const texts = [ended.stdout, ended.stderr, project.read('told')];
  for (const text of [...texts, JSON.stringify(journalOf(project)), JSON.stringify(stateOf(project))]) {
    expect(text).not.toContain(secret);
  }
});

test.each([
  ['at a point that does not exist', { at: ['pre_iteraton'] }, 'must be one of pre_iteration, post_iteration,'],
  [
    'with a pattern that cannot be used',
    { at: ['on_error'], ifPattern: '(?=x)' },
    'hooks.0.ifPattern (ralphd.yml:3:52) is not a valid regular expression: "(?=x)"',
  ],
])('B069: a hook %s is refused with 78 before anything is created', async (_case, settings, message) => {
  const project = projectWith({ name: 'x', run: 'true', ...settings });
  const ended = await project.ralphd(...runOf());
  expect(ended.code).toBe(78);
  expect(ended.stderr).toContain(message);
  expect(project.has('.ralph')).toBe(false);
});

test('a ralphd inside a hook is not confused by what the hook was given', async () => {
  const project = projectWith({ name: 'look', at: ['pre_iteration'], run: 'node "$RALPHD_BIN" status --json > seen' });
  const env = { RALPHD_BIN: new URL('../../bin/ralphd.mjs', import.meta.url).pathname };
  await project.ralphdWith(env, runOf('-n', '1'));
  expect(JSON.parse(project.read('seen'))).toMatchObject({ status: 'running', phase: 'pre_hooks', iteration: 1 });
});

test('B068: hooks run at the start and the end of a loop, around its sessions and when files change', async () => {
  const points = [
    'loop_start',
    'loop_end',
    'pre_session',
    'post_session',
    'on_file_change',
    'pre_reboot',
    'post_reboot',
  ];
  const tell = `${log}; cat > "context-$RALPHD_HOOK_POINT"`;
  const project = projectWith(
    ...points.map((point) => ({ name: point, at: [point], run: tell })),
    { name: 'ticket', at: ['loop_start'], run: `echo '{"data":{"ticket":7}}'`, priority: 1 },
    { name: 'never', at: ['loop_end'], run: log, inMode: ['attended'] },
  );
  const ended = await project.ralphd(...runOf('-n', '1'));
  expect(endLine(ended)).toMatchObject({ reason: 'max_iterations', status: 'failed' });
  expect(project.read('log').trimEnd().split('\n')).toEqual([
    ' loop_start loop_start',
    '1 pre_session pre_session',
    '1 post_session post_session',
    '1 on_file_change on_file_change',
    '1 loop_end loop_end',
  ]);
  expect(JSON.parse(project.read('context-loop_start'))).toMatchObject({ iteration: 0, mode: 'unattended' });
  expect(JSON.parse(project.read('context-loop_end'))).toMatchObject({
    status: 'failed',
    end: { reason: 'max_iterations', message: '1 of 1 iterations' },
    data: { ticket: '7' },
  });
});

test('B068: nothing that the last hooks do changes how a loop ends, and an interrupt ends them at once', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const hooks = [{ name: 'slow', at: ['loop_end'], run: 'touch begun; sleep 1000', fatal: true }];
  project.write('ralphd.yml', `baseline: false\niteration: { killGrace: 200ms }\nhooks: ${JSON.stringify(hooks)}\n`);
  const running = project.start(runOf());
  await eventually(() => project.has('begun')).toBe(true);
  running.signal('SIGINT');
  const ended = await running.ended;
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true });
  expect(ended.code).toBe(0);
  expect(project.processes()).toEqual([]);
  expect(factsOf(project, 'loop_hooks.finished')).toMatchObject([{ point: 'loop_end', interrupted: true }]);
});

test('B068: a loop whose owner dies in its last hooks runs them again, and ends as it was decided', async () => {
  const project = projectWith({ name: 'last', at: ['loop_end'], run: 'echo x >> begun; [ -e go ] || sleep 1000' });
  const running = project.start(runOf('-n', '1'));
  await eventually(() => project.has('begun')).toBe(true);
  running.signal('SIGKILL');
  await running.ended;
  project.write('go', '');
  const ended = await project.ralphd('resume', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', iterations: 1 });
  expect(project.read('begun')).toBe('x\nx\n');
  expect(project.processes()).toEqual([]);
});

test('B072: a hook posts to an address, whose key is nowhere in the journal, and Ctrl-C waits for no answer', async () => {
  const receiver = await startReceiver((response, number) => {
    if (number === 1) response.end('{"prompt":"from the web"}');
  });
  const project = projectWith({
    name: 'web',
    at: ['pre_iteration', 'loop_end'],
    url: receiver.url,
    secret: 'env:HOOK_KEY',
  });
  project.write('agent.sh', '#!/bin/sh\ncat > heard\necho more >> work\n');
  const running = project.start(runOf('-n', '1'), { HOOK_KEY: 'very-secret-key-4711' });
  await eventually(() => receiver.requests.length).toBe(2);
  running.signal('SIGINT');
  expect((await running.ended).code).toBe(2);
  expect(project.read('heard')).toContain('from the web');
  expect(receiver.requests.map(({ headers }) => headers['x-ralphd-signature'])).toEqual([
    expect.stringMatching(/^sha256=/),
    expect.stringMatching(/^sha256=/),
  ]);
  expect(JSON.stringify(journalOf(project))).not.toContain('very-secret-key-4711');
});

test('a hook whose key is not set is refused before anything is created', async () => {
  const project = projectWith({ name: 'web', at: ['loop_end'], url: 'http://127.0.0.1:1/', secret: 'env:NO_SUCH_KEY' });
  const ended = await project.ralphd(...runOf());
  expect(ended.code).toBe(78);
  expect(ended.stderr).toContain('The hook "web" cannot be used: the variable NO_SUCH_KEY is not set.');
  expect(project.has('.ralph')).toBe(false);
});
