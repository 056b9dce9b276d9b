import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import {
  type Begun,
  createProject,
  endLine,
  eventually,
  factsOf,
  jsonLines,
  loopIds,
  type Project,
  promptOf,
  stateOf,
} from '../support/project.ts';

/** Starts a loop, inside this process or in one of its own, whose agent is at work. */
async function startWorking(project: Project, how: 'begin' | 'start' = 'begin'): Promise<Begun> {
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project[how](runOf('-n', '5'));
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  return running;
}

/** Lets the agent of a run finish its work, truly. */
function finish(project: Project, run: number): void {
  project.write('finish', '');
  project.write(`go-${run}`, '');
}

test('A059 A063: a pause acts at the boundary, its owner exits with 5, and a resume is the new owner', async () => {
  const project = createProject();
  const running = await startWorking(project);
  const sent = await project.ralphd('pause');
  expect(sent.code).toBe(0);
  expect(sent.stdout).toMatch(
    /^(ralph-x-[0-9a-f]{8}) will pause after the current iteration\. Resume: ralphd resume \1\n$/,
  );
  expect(stateOf(project)).toMatchObject({ status: 'running' });
  project.write('go-1', '');
  const paused = await running.ended;
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'user_pause', iterations: 1, exitCode: 5 });
  finish(project, 2);
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 2 });
});

test('A042 A063: a resume withdraws a pending pause, and the owner continues', async () => {
  const project = createProject();
  const running = await startWorking(project);
  const id = String(stateOf(project)['loop_id']);
  expect((await project.ralphd('pause')).code).toBe(0);
  expect(await project.ralphd('resume')).toMatchObject({ code: 0, stdout: `${id} continues.\n` });
  finish(project, 1);
  expect(endLine(await running.ended)).toMatchObject({ status: 'completed', exitCode: 0 });
  expect(factsOf(project, 'loop.paused')).toEqual([]);
  expect(factsOf(project, 'command.accepted')).toMatchObject([{ command: 'pause' }, { command: 'resume' }]);
});

test('a command to an owner that is stopped is kept, its sender learns that and how to end the owner, status shows it, and it is carried out', async () => {
  const project = createProject();
  const running = await startWorking(project, 'start');
  const id = String(stateOf(project)['loop_id']);
  const [shown = {}] = jsonLines((await project.ralphd('status', id, '--json')).stdout);
  const { pid } = shown['owner'] as { readonly pid: number };
  process.kill(pid, 'SIGSTOP');
  const unanswered = await project.ralphd('pause', '--json');
  expect(unanswered.code).toBe(6);
  expect(endLine(unanswered)).toMatchObject({ code: 'COMMAND_UNANSWERED', exitCode: 6 });
  expect(endLine(unanswered)['message']).toContain('is stopped and does not answer. "pause" is stored');
  expect(endLine(unanswered)['hint']).toContain(`ralphd resume ${id} --force`);
  expect(endLine(await project.ralphd('status', id, '--json'))).toMatchObject({
    owner: { pid, state: 'stopped' },
    requested: [],
    pendingCommands: [{ command: 'pause', sender: { face: 'cli' }, ageMs: expect.any(Number) as number }],
  });
  expect((await project.ralphd('status', id)).stdout).toMatch(
    /pending +pause, sent \d+s ago by \S+ \(process \d+\), not answered yet/,
  );
  process.kill(pid, 'SIGCONT');
  await eventually(() => factsOf(project, 'command.accepted')).toHaveLength(1);
  project.write('go-1', '');
  expect(endLine(await running.ended)).toMatchObject({ status: 'paused', reason: 'user_pause', exitCode: 5 });
  expect(factsOf(project, 'command.accepted')).toMatchObject([{ command: 'pause', sender: { face: 'cli' } }]);
  expect(endLine(await project.ralphd('status', id, '--json'))).toMatchObject({ pendingCommands: [] });
});

test('A063: pause --now interrupts the iteration, which keeps its number', async () => {
  const project = createProject();
  const running = await startWorking(project);
  expect((await project.ralphd('pause', '--now')).code).toBe(0);
  expect(endLine(await running.ended)).toMatchObject({
    status: 'paused',
    reason: 'user_pause',
    iterations: 0,
    exitCode: 5,
  });
  expect(project.processes()).toEqual([]);
  finish(project, 2);
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 1 });
  expect(factsOf(project, 'iteration.started')).toMatchObject([
    { iteration: 1, attempt: 1 },
    { iteration: 1, attempt: 2 },
  ]);
});

test.each(['abort', 'stop'])(
  'A049, B134: %s ends a working loop at once, as aborted by the user, with 1',
  async (command) => {
    const project = createProject();
    const running = await startWorking(project);
    const sent = await project.ralphd(command, '--json');
    expect(jsonLines(sent.stdout)).toMatchObject([{ command, accepted: true }]);
    const ended = await running.ended;
    expect(endLine(ended)).toMatchObject({ status: 'aborted', reason: 'user_abort', exitCode: 1 });
    expect(ended.code).toBe(1);
    expect(project.processes()).toEqual([]);
  },
);

test('A049: abort gives an agent that will not end no grace', async () => {
  const project = createProject();
  project.write('ralphd.yml', 'iteration:\n  killGrace: 1h\n');
  project.script('agent.sh', "trap '' TERM", 'echo $$ >> started', 'while :; do sleep 0.05; done');
  writeCheck(project);
  const running = project.begin(runOf());
  await eventually(() => runsOf(project)).toBe(1);
  expect((await project.ralphd('abort')).code).toBe(0);
  expect(endLine(await running.ended)).toMatchObject({ status: 'aborted', reason: 'user_abort', exitCode: 1 });
  expect(project.processes()).toEqual([]);
});

test('A051: skip abandons the current iteration, and the loop continues with the next', async () => {
  const project = createProject();
  const running = await startWorking(project);
  expect((await project.ralphd('skip')).code).toBe(0);
  await eventually(() => runsOf(project)).toBe(2);
  finish(project, 2);
  expect(endLine(await running.ended)).toMatchObject({ status: 'completed', iterations: 2, exitCode: 0 });
  expect(factsOf(project, 'iteration.finished')).toMatchObject([{ status: 'skipped' }, { status: 'completed' }]);
});

test('A050 A056: reboot gives the next iteration a fresh session with a handover', async () => {
  const project = createProject();
  const running = await startWorking(project);
  expect((await project.ralphd('reboot')).code).toBe(0);
  project.write('go-1', '');
  await eventually(() => runsOf(project)).toBe(2);
  finish(project, 2);
  expect(endLine(await running.ended)).toMatchObject({ status: 'completed', iterations: 2 });
  expect(promptOf(project, 1)).not.toContain('## Handover');
  expect(promptOf(project, 2)).toContain('## Handover');
  expect(factsOf(project, 'reboot.finished')).toMatchObject([{ cause: 'manual', ok: true }]);
});

test('guidance stands in every prompt in the order it was given, until it is dropped; guidance for once comes once', async () => {
  const project = createProject();
  project.write('ralphd.yml', 'stopConditions: { maxIterationFailureStreak: 0, maxSameErrorStreak: 0 }\n');
  const running = await startWorking(project);
  const id = String(stateOf(project)['loop_id']);
  const first = await project.ralphd('guide', 'first: use $& and {{PROMPT}}');
  expect(first.stdout).toBe(
    `${id} will add guidance 1 to every prompt from the next one on.\n  Drop it: ralphd guide ${id} --drop 1\n`,
  );
  project.write('hint.txt', 'then: mind\nthe gap\n');
  const once = await project.ralphd('guide', id, '--file', 'hint.txt', '--once', '--json');
  expect(jsonLines(once.stdout)).toMatchObject([{ loopId: id, command: 'guide', accepted: true, number: 2 }]);
  project.write('go-1', '');
  await eventually(() => runsOf(project)).toBe(2);
  const listed = await project.ralphd('guide', id, '--list');
  expect(listed.stdout).toMatch(
    /^1\. standing, in iteration 2 \(under way\)\n {3}first: use \$& and \{\{PROMPT\}\}\n {3}given at \d\d:\d\d by \S+ \(process \d+\)\n2\. once, .*\n {3}then: mind\n {3}the gap\n {3}given at .*\n$/,
  );
  project.write('go-2', '');
  await eventually(() => runsOf(project)).toBe(3);
  expect((await project.ralphd('guide', '--drop', '1')).stdout).toBe(
    `${id} drops guidance 1 from the next prompt on.\n`,
  );
  project.write('go-3', '');
  await eventually(() => runsOf(project)).toBe(4);
  finish(project, 4);
  await running.ended;
  expect(promptOf(project, 1)).not.toContain('## Guidance');
  expect(promptOf(project, 2)).toContain(
    '## Guidance from the user\n\nfirst: use $& and {{PROMPT}}\n\nthen: mind\nthe gap\n',
  );
  expect(promptOf(project, 3)).toContain('## Guidance from the user\n\nfirst: use $& and {{PROMPT}}\n\n## Task');
  expect(promptOf(project, 4)).not.toContain('## Guidance');
  expect(factsOf(project, 'command.accepted')).toMatchObject([
    { command: 'guide', standing: true, sender: { face: 'cli' } },
    { command: 'guide', sender: { face: 'cli' } },
    { command: 'drop', number: 1, sender: { face: 'cli' } },
  ]);
});

test('A048: commands that do not fit a working loop are refused with 64 and why, recorded, and do no harm', async () => {
  const project = createProject();
  const running = await startWorking(project);
  const refused = await project.ralphd('guide', ' ', '--json');
  expect(refused.code).toBe(64);
  expect(endLine(refused)).toMatchObject({ code: 'COMMAND_REFUSED' });
  expect(endLine(refused)['message']).toMatch(/^Cannot guide loop ralph-x-[0-9a-f]{8}: the guidance is empty\.$/);
  expect(endLine(refused)).toMatchObject({
    hint: 'It accepts these commands now: pause, stop, abort, skip, reboot, guide, mode, note, breakpoint.',
    allowed: ['pause', 'stop', 'abort', 'skip', 'reboot', 'guide', 'mode', 'note', 'breakpoint'],
  });
  expect((await project.ralphd('guide', 'x'.repeat(20_001), '--json')).stdout).toContain(
    'longer than 20000 characters',
  );
  expect(factsOf(project, 'command.refused')).toMatchObject([{ command: 'guide', why: 'the guidance is empty' }]);
  finish(project, 1);
  expect(endLine(await running.ended)).toMatchObject({ status: 'completed', exitCode: 0 });
});

test('A048: commands to a loop that rests are answered in its place, and those that do not fit are refused', async () => {
  const project = createProject();
  const running = await startWorking(project);
  expect((await project.ralphd('pause', '--now')).stdout).toMatch(
    /^ralph-x-[0-9a-f]{8} is (pausing|paused)\. Resume: ralphd resume ralph-x-\S+\n$/,
  );
  await running.ended;
  for (const [command, why, action = command] of [
    ['pause', 'the loop is already paused'],
    ['skip', 'no iteration is under way', 'skip an iteration of'],
    ['retry', 'the loop is not waiting'],
    ['reboot', 'the loop is paused; resume it first', 'reboot the agent of'],
  ] as const) {
    const refused = await project.ralphd(command, '--json');
    expect(refused.code).toBe(64);
    expect(endLine(refused)['message']).toBe(`Cannot ${action} loop ${loopIds(project)[0]}: ${why}.`);
    expect(factsOf(project, 'command.refused').at(-1)).toMatchObject({ command, why });
  }
  expect((await project.ralphd('guide', 'mind the gap')).code).toBe(0);
  expect(stateOf(project)).toMatchObject({ status: 'paused' });
  expect((await project.ralphd('abort')).stdout).toMatch(/^ralph-x-[0-9a-f]{8} is aborted\.\n$/);
  expect(stateOf(project)).toMatchObject({ status: 'aborted' });
});

test('A166: a loop that is over takes no command', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  finish(project, 1);
  await project.ralphd(...runOf());
  for (const command of ['pause', 'stop', 'abort', 'skip', 'retry', 'reboot']) {
    const refused = await project.ralphd(command, '--json');
    expect(refused.code).toBe(64);
    expect(endLine(refused)['message']).toContain('the loop has already ended (completed)');
  }
  expect((await project.ralphd('note', 'too late')).stderr.split('\n')[0]).toMatch(
    /Cannot add a note to loop ralph-x-[0-9a-f]{8}: the loop has already ended \(completed\)\.$/,
  );
  expect(stateOf(project)).toMatchObject({ status: 'completed' });
});

test('a command that ends a wait ends it at once', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work');
  writeCheck(project);
  const running = project.begin(runOf('-n', '5', '--delay', '1h'));
  await eventually(() => running.output().stdout).toContain('"wait.scheduled"');
  expect((await project.ralphd('pause')).code).toBe(0);
  expect(endLine(await running.ended)).toMatchObject({ status: 'paused', reason: 'user_pause', iterations: 1 });
});
