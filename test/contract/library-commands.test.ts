import { expect, test } from 'vitest';
import { runsOf, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { runnerIn } from '../support/library.ts';
import { createProject, eventually, factsOf, journalOf, loopIds, type Project } from '../support/project.ts';

function preparedProject(): Project {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  return project;
}

function finish(project: Project, run: number): void {
  project.write('finish', '');
  project.write(`go-${run}`, '');
}

test('A039 A042 A059 A063: a paused runner stays, starts no iteration, serves commands, and continues when it is resumed', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  void runner.send({ command: 'pause' });
  project.write('go-1', '');
  await eventually(() => runner.state).toBe('paused');
  expect(runner.context.stopReason).toBe('user_pause');
  void runner.send({ command: 'guide', text: 'mind the gap' });
  expect(runner.state).toBe('paused');
  expect(runsOf(project)).toBe(1);
  finish(project, 2);
  void runner.send({ command: 'resume' });
  await expect(done).resolves.toMatchObject({ verified: true, context: { stats: { iterations: 2 } } });
  expect(project.read('heard-2')).toContain('mind the gap');
});

test('A048: pause and resume where they do not fit are recorded as refused and change nothing', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  void runner.send({ command: 'resume' });
  finish(project, 1);
  await expect(done).resolves.toMatchObject({ verified: true });
  expect(factsOf(project, 'command.refused')).toMatchObject([
    { command: 'resume', why: 'the loop is already running' },
  ]);
});

test('A022 A039 A049: a stopped loop starts again as a new loop that remembers the old one', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  void runner.send({ command: 'stop' });
  const stopped = await done;
  expect(stopped.context).toMatchObject({ state: 'stopped', stopReason: 'user_abort' });
  expect(project.processes()).toEqual([]);

  void runner.send({ command: 'stop' });
  finish(project, 2);
  const again = await runner.run();
  expect(again).toMatchObject({ verified: true, context: { state: 'completed', stats: { iterations: 1 } } });
  expect(again.loopId).not.toBe(stopped.loopId);
  expect(loopIds(project)).toEqual([stopped.loopId, again.loopId].toSorted());
  const started = JSON.parse(project.read(`.ralph/loops/${again.loopId}/state.json`)) as { ralphd: { loop: object } };
  expect(started.ralphd.loop).toMatchObject({ resumedFrom: stopped.loopId });
});

test('A039 A051: skip abandons the current iteration and the loop continues', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  void runner.send({ command: 'skip' });
  await eventually(() => runsOf(project)).toBe(2);
  finish(project, 2);
  await expect(done).resolves.toMatchObject({ verified: true, context: { stats: { iterations: 2 } } });
  expect(factsOf(project, 'iteration.finished')).toMatchObject([{ status: 'skipped' }, { status: 'completed' }]);
});

test('A039 A050 A056: a forced reboot goes through rebooting and back, is counted, and the loop continues', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const states: string[] = [];
  using _subscription = runner.subscribe(({ type }) => {
    if (type.startsWith('reboot.')) states.push(`${type}: ${runner.state}`);
  });
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  void runner.send({ command: 'reboot' });
  project.write('go-1', '');
  await eventually(() => runsOf(project)).toBe(2);
  finish(project, 2);
  await done;
  expect(states).toEqual(['reboot.started: rebooting', 'reboot.finished: running']);
  expect(runner.stats.reboots).toBe(1);
});

test('A041 A060 A064: a shutdown ends the agent, pauses the loop, and another runner continues it', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  runner.shutdown();
  const { loopId, context } = await done;
  expect(context).toMatchObject({ state: 'paused', stopReason: 'interrupted' });
  expect(project.processes()).toEqual([]);
  finish(project, 2);
  const next = runnerIn(project, {}, loopId);
  expect(next.id).toBe(loopId);
  await expect(next.run()).resolves.toMatchObject({ loopId, verified: true });
});

test('A042 A060: a shutdown while paused lets the run return', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  void runner.send({ command: 'pause' });
  const done = runner.run();
  await eventually(() => runner.state).toBe('paused');
  runner.shutdown();
  await expect(done).resolves.toMatchObject({ context: { state: 'paused', stats: { iterations: 0 } } });
});

test('A040: commands given before the start are served before the first iteration', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  void runner.send({ command: 'guide', text: 'mind the gap' });
  void runner.send({ command: 'stop' });
  await expect(runner.run()).resolves.toMatchObject({ context: { state: 'stopped', stats: { iterations: 0 } } });
  expect(journalOf(project).map(({ type }) => type)).not.toContain('iteration.started');
  expect(factsOf(project, 'command.accepted')).toMatchObject([{ command: 'guide' }, { command: 'stop' }]);
});

test('A035: thirty-two commands may wait for a loop to start, and no more', () => {
  const runner = runnerIn(preparedProject());
  for (let count = 0; count < 32; count += 1) void runner.send({ command: 'guide', text: `number ${count}` });
  expect(() => runner.send({ command: 'pause' })).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'COMMAND_QUEUE_FULL' }) as object }) as Error,
  );
});

test('A064: an abort signal shuts the run down', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const stop = new AbortController();
  const done = runner.run({ signal: stop.signal });
  await eventually(() => runsOf(project)).toBe(1);
  stop.abort();
  await expect(done).resolves.toMatchObject({ context: { state: 'paused', stopReason: 'interrupted' } });
  expect(project.processes()).toEqual([]);
});

test('A064: a signal that is aborted already lets nothing begin, and its reason is what the run rejects with', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const reason = new Error('changed my mind');
  await expect(runner.run({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(project.has('.ralph')).toBe(false);
  expect(runner.state).toBe('idle');
});

test('A068: commands that arrive all at once are all answered, in order, and the counters stay true', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const done = runner.run();
  await eventually(() => runsOf(project)).toBe(1);
  const before = runner.stats;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => runner.send({ command: 'guide', text: `number ${index}` })),
  );
  expect(factsOf(project, 'command.accepted').map(({ text }) => text)).toEqual(
    Array.from({ length: 20 }, (_, index) => `number ${index}`),
  );
  finish(project, 1);
  await done;
  expect(before).toMatchObject({ iterations: 0 });
  expect(runner.stats).toMatchObject({ iterations: 1 });
  expect(journalOf(project).map(({ seq }) => seq)).toEqual(journalOf(project).map((_, index) => index + 1));
});

test('two runners in one process work side by side, and neither takes the other’s loop', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const [one, two] = await Promise.all([
    runnerIn(project).run({ force: true }),
    runnerIn(project).run({ force: true }),
  ]);
  expect(one.loopId).not.toBe(two.loopId);
  expect([one, two]).toMatchObject([{ verified: true }, { verified: true }]);
});
