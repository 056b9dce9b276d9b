import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import {
  createProject,
  endLine,
  eventually,
  factsOf,
  jsonLines,
  loopIds,
  type Project,
  stateOf,
} from '../support/project.ts';

/** Starts a loop, and kills ralphd without warning while its agent works. */
async function crash(project: Project): Promise<void> {
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project.start(runOf('-n', '5'));
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  running.signal('SIGKILL');
  await running.ended;
}

test('R3 A141: after a kill -9 the loop is shown as crashed, and a resume continues with the agent that still runs', async () => {
  const project = createProject();
  await crash(project);

  const status = await project.ralphd('status');
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/status +crashed: its process died, nothing was lost/);
  expect(status.stdout).toMatch(/next +ralphd resume ralph-x-/);
  const [asJson] = jsonLines((await project.ralphd('status', '--json')).stdout);
  expect(asJson).toMatchObject({
    status: 'crashed',
    iteration: 1,
    attempt: 1,
    owner: { alive: false },
    agentPid: expect.any(Number),
  });
  expect(stateOf(project)).toMatchObject({ status: 'running' });

  const resuming = project.start(['resume', '--json']);
  await eventually(() => resuming.output().stdout).toContain('"loop.recovered"');
  project.write('finish', '');
  project.write('go-1', '');
  const resumed = await resuming.ended;
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, iterations: 1, exitCode: 0 });
  expect(project.processes()).toEqual([]);
  expect(runsOf(project)).toBe(1);
  expect(factsOf(project, 'iteration.started')).toMatchObject([{ iteration: 1, attempt: 1 }]);
  expect(factsOf(project, 'agent.finished')).toMatchObject([
    { ending: { kind: 'exited', code: 0 }, claimed: true, changes: { known: true } },
  ]);
});

test('R3: the result of an agent that ended while no process ran the loop is used, not paid for again', async () => {
  const project = createProject();
  await crash(project);
  project.write('finish', '');
  project.write('go-1', '');
  await eventually(() => project.processes()).toEqual([]);
  const resumed = await project.ralphd('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, iterations: 1, exitCode: 0 });
  expect(runsOf(project)).toBe(1);
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { kind: 'exited', code: 0 }, claimed: true }]);
});

test('R3: an agent that must not outlive its ralphd is ended with it, and the iteration is tried again', async () => {
  const project = createProject();
  project.write('ralphd.yml', 'iteration:\n  onRunnerLoss: end\n');
  await crash(project);
  await eventually(() => project.processes()).toEqual([]);
  project.write('finish', '');
  project.write('go-2', '');
  const resumed = await project.ralphd('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', iterations: 1, exitCode: 0 });
  expect(factsOf(project, 'iteration.interrupted')).toMatchObject([{ iteration: 1, attempt: 1, cause: 'runner_lost' }]);
  expect(runsOf(project)).toBe(2);
});

test('R5: an interrupt ends an adopted agent like any other', async () => {
  const project = createProject();
  await crash(project);
  const resuming = project.start(['resume', '--json']);
  await eventually(() => resuming.output().stdout).toContain('"loop.recovered"');
  resuming.signal('SIGINT');
  const ended = await resuming.ended;
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'interrupted', exitCode: 130 });
  expect(project.processes()).toEqual([]);
});

test('R14: a loop with a live owner is refused to everybody else with 6 and the owner’s number', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project.start(runOf('-n', '1'));
  await eventually(() => runsOf(project)).toBe(1);
  const [id = ''] = loopIds(project);
  for (const args of [['resume', id, '--json'], ['resume', '-n', '9', '--json'], runOf('--loop-id', id)]) {
    const refused = await project.ralphd(...args);
    expect(refused.code).toBe(6);
    expect(endLine(refused)).toMatchObject({ type: 'error', code: 'LOOP_LOCKED' });
    expect(endLine(refused)['message']).toContain(`process ${running.pid} `);
  }
  project.write('finish', '');
  project.write('go-1', '');
  expect(endLine(await running.ended)).toMatchObject({ status: 'completed', exitCode: 0 });
});

test.each([
  ['abort', 'aborted', 'user_abort'],
  ['stop', 'aborted', 'user_abort'],
  ['pause', 'paused', 'user_pause'],
] as const)('R3: %s on a loop whose owner died ends its agent and leaves it %s', async (command, status, reason) => {
  const project = createProject();
  await crash(project);
  const sent = await project.ralphd(command, '--json');
  expect(sent).toMatchObject({ code: 0, stderr: '' });
  expect(jsonLines(sent.stdout)).toEqual([{ loopId: loopIds(project)[0], command, accepted: true, status }]);
  expect(stateOf(project)).toMatchObject({ status, ralphd: { reason } });
  expect(project.processes()).toEqual([]);
});

test('guidance for a loop whose owner died waits for the resume', async () => {
  const project = createProject();
  await crash(project);
  expect((await project.ralphd('guide', 'mind the gap')).code).toBe(0);
  project.write('go-1', '');
  await eventually(() => project.processes()).toEqual([]);
  project.write('finish', '');
  project.write('go-2', '');
  expect((await project.ralphd('resume')).code).toBe(0);
  expect(project.read('heard-2').match(/mind the gap/g)).toHaveLength(1);
});

test('a crashed loop does not hide the others', async () => {
  const project = createProject();
  await crash(project);
  project.write('finish', '');
  project.write('go-2', '');
  expect(endLine(await project.ralphd(...runOf('-n', '1')))).toMatchObject({
    code: 'WORK_TREE_IN_USE',
    message: expect.stringContaining('(crashed, but its agent is still at work)') as string,
  });
  expect((await project.ralphd(...runOf('-n', '1', '--force'))).code).toBe(0);
  const [listed] = jsonLines((await project.ralphd('ls', '--json')).stdout);
  expect(listed).toMatchObject({ loops: [{ status: 'crashed' }, { status: 'completed' }], unreadable: [] });
});
