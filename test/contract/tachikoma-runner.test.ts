import { expect, test } from 'vitest';
import {
  HistoryConfig,
  IterationHistory,
  type LogEntry,
  LoopCommand,
  LoopError,
  type LoopEvent,
  LoopRunner,
  LoopState,
  type PartialLoopConfig,
  type RunnerOptions,
  StateManager,
  StatePersistenceConfig,
} from '../../src/tachikoma.ts';
import { type FakeClaude, writeClaude } from '../support/claude.ts';
import { createProject, loopIds, type Project } from '../support/project.ts';

const done = { text: '<promise>DONE</promise>' };

function projectWith(claude: FakeClaude = {}): Project {
  const project = createProject();
  project.write('prompt.md', 'Fix the tests');
  writeClaude(project, 'claude.sh', claude);
  return project;
}

function runnerIn(project: Project, config: PartialLoopConfig = {}, options: RunnerOptions = {}): LoopRunner {
  const session = { claudeCommand: './claude.sh', ...config.session };
  const settings = { iterationDelay: 0, maxIterations: 3, ...config, session };
  return new LoopRunner(settings, { cwd: project.folder, env: project.env, ...options });
}

function typesOf(events: readonly LoopEvent[]): readonly string[] {
  return events.map((event) => ('iteration' in event ? `${event.type} ${event.iteration}` : event.type));
}

test('A036 A057 A058 A066: a loop tells what happens in events that carry its id, its configuration, outcomes and counters', async () => {
  const project = projectWith(done);
  const log: LogEntry[] = [];
  const runner = runnerIn(project, {}, { log: (entry) => void log.push(entry) });
  const id = runner.id();
  expect(runner.state()).toBe(LoopState.Idle);
  const [receiver, received] = [runner.subscribeEvents(), [] as LoopEvent[]];
  using _listener = runner.subscribe((event) => void received.push(event));
  await runner.run();
  const events: LoopEvent[] = [];
  for await (const event of receiver) events.push(event);
  expect(events).toEqual(received);
  expect(typesOf(events)).toEqual(['started', 'iteration_started 1', 'iteration_completed 1', 'completed']);
  expect(events.every(({ loopId }) => loopId.equals(id))).toBe(true);
  expect(String(id)).toMatch(/^loop_[0-9a-f-]{36}$/);
  expect(JSON.parse(JSON.stringify(events[0]))).toMatchObject({
    loopId: id.uuid,
    config: { maxIterations: 3, session: { claudeCommand: './claude.sh' } },
  });
  expect(events[2]).toMatchObject({
    outcome: {
      iteration: 1,
      madeProgress: true,
      needsReboot: false,
      filesChanged: 2,
      durationMs: expect.any(Number) as number,
    },
  });
  expect(events[3]).toMatchObject({ stats: { iterations: 1, successfulIterations: 1, failedIterations: 0 } });
  expect(runner.state()).toBe('completed');
  expect(runner.ralphdId()).toBe(loopIds(project)[0]);
  expect(log.length).toBeGreaterThan(3);
  expect(new Set(log.map(({ loopId }) => loopId))).toEqual(new Set([String(id)]));
});

test('A005 A027 A043 A065: a loop that used up its iterations ends as an error with its reason, never as completed', async () => {
  const runner = runnerIn(projectWith(), { maxIterations: 2 });
  const types: string[] = [];
  using _listener = runner.subscribe(({ type }) => void types.push(type));
  await runner.run();
  expect(runner.state()).toBe('error');
  expect(runner.context().stopReason).toContain('2');
  expect(types.slice(-2)).toEqual(['stop_condition_triggered', 'error']);
  expect(runner.stats()).toMatchObject({ iterations: 2, successfulIterations: 2, failedIterations: 0 });
});

test('A037 A038: a second run at the same time and a run of a completed loop are refused by kind', async () => {
  const runner = runnerIn(projectWith(done));
  const first = runner.run();
  const second: unknown = await runner.run().catch((error: unknown) => error);
  expect(second).toBeInstanceOf(LoopError);
  expect(second).toMatchObject({ kind: 'AlreadyRunning', code: 'ALREADY_RUNNING' });
  await first;
  await expect(runner.run()).rejects.toMatchObject({
    details: { kind: 'InvalidState', current: 'completed', action: 'start' },
  });
  expect(runner.state()).toBe('completed');
});

test('A035 A039 A042 A048 A049 A063: commands wait for the start, a pause holds, a resume continues and a stop ends the loop', async () => {
  const project = projectWith();
  const runner = runnerIn(project, { maxIterations: 50 });
  const sender = runner.commandSender();
  await sender.send(LoopCommand.Pause);
  const running = runner.run();
  await expect.poll(() => runner.state()).toBe('paused');
  const before = runner.stats().iterations;
  expect(await sender.request('pause')).toMatchObject({ accepted: false });
  await sender.send(LoopCommand.Resume);
  await expect.poll(() => runner.stats().iterations).toBeGreaterThan(before);
  await sender.send(LoopCommand.Stop);
  await running;
  expect(runner.state()).toBe('stopped');
  expect(LoopState.isTerminal(runner.state())).toBe(true);
  expect(runner.context().stopReason).toBeDefined();
});

test('A022: a stopped loop runs again as a new loop with a new id', async () => {
  const project = projectWith({ work: ['echo more >> work', 'sleep 0.1'] });
  const runner = runnerIn(project, { maxIterations: 50 });
  const first = runner.id();
  const running = runner.run();
  await expect.poll(() => runner.state()).toBe('running');
  await runner.commandSender().send('stop');
  await running;
  expect(LoopState.canStart(runner.state())).toBe(true);
  writeClaude(project, 'claude.sh', done);
  await runner.run();
  expect(runner.state()).toBe('completed');
  expect(runner.id().equals(first)).toBe(false);
  expect(loopIds(project)).toHaveLength(2);
});

test('A051: skip abandons the current iteration and the loop continues', async () => {
  const project = projectWith({ work: ['[ -e go ] || { touch busy; sleep 60; }'], ...done });
  const runner = runnerIn(project);
  const failed: LoopEvent[] = [];
  using _listener = runner.subscribe((event) => void (event.type === 'iteration_failed' && failed.push(event)));
  const running = runner.run();
  await expect.poll(() => project.has('busy')).toBe(true);
  project.write('go', '');
  await runner.commandSender().send(LoopCommand.SkipIteration);
  await running;
  expect(failed).toMatchObject([{ iteration: 1, error: 'The iteration was skipped.' }]);
  expect(runner.state()).toBe('completed');
});

test('A041 A060 A064: a shutdown ends the agent and pauses the loop, and another runner resumes it', async () => {
  const project = projectWith({ work: ['touch busy', '[ -e go ] || sleep 60'], ...done });
  const first = runnerIn(project);
  const running = first.run();
  await expect.poll(() => project.has('busy')).toBe(true);
  first.shutdown();
  await running;
  expect(first.state()).toBe('paused');
  expect(project.processes()).toEqual([]);
  project.write('go', '');
  const second = runnerIn(project, {}, { resume: first.ralphdId() });
  expect([second.state(), second.id().equals(first.id())]).toEqual(['paused', true]);
  const types: string[] = [];
  using _listener = second.subscribe(({ type }) => void types.push(type));
  await second.run();
  expect(types[0]).toBe('resumed');
  expect(second.state()).toBe('completed');
});

test('A046 A050 A054 A056: a session at the redline is replaced, and the reboot is announced and counted', async () => {
  const project = projectWith({ used: 180_000 });
  const runner = runnerIn(project, { maxIterations: 2, ralphd: { session: { strategy: 'continue' } } });
  const events: LoopEvent[] = [];
  using _listener = runner.subscribe((event) => void events.push(event));
  await runner.run();
  expect(typesOf(events)).toEqual([
    'started',
    'iteration_started 1',
    'iteration_completed 1',
    'reboot_started',
    'reboot_completed',
    'iteration_started 2',
    'iteration_completed 2',
    'stop_condition_triggered',
    'error',
  ]);
  expect(events[2]).toMatchObject({ outcome: { needsReboot: true } });
  expect(runner.stats().reboots).toBe(1);
  expect(runner.sessions().session_history).toMatchObject([{ session_id: 'session-1', end_reason: 'redline' }]);
});

test('A055: a prompt that cannot be read is an error with path and cause, the loop is in error, and nothing is created', async () => {
  const project = projectWith();
  const runner = runnerIn(project, { promptPath: 'missing.md' });
  const events: LoopEvent[] = [];
  using _listener = runner.subscribe((event) => void events.push(event));
  const error: unknown = await runner.run().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ details: { kind: 'PromptLoadFailed', path: `${project.folder}/missing.md` } });
  expect(runner.state()).toBe('error');
  expect(runner.context().stopReason).toContain('missing.md');
  expect(events).toMatchObject([
    { type: 'error', seq: undefined, error: expect.stringContaining('missing.md') as string },
  ]);
  expect(project.has('.ralph')).toBe(false);
  project.write('missing.md', 'Fix the tests');
  await runner.run();
  expect(runner.stats().iterations).toBe(3);
});

test('A047 A091 A096: an iteration that fails is reported and does not end the loop, and the history file has it', async () => {
  const project = projectWith({ work: ['[ -e failed ] || { touch failed; echo broken >&2; exit 3; }'], ...done });
  const runner = runnerIn(project, { ralphd: { history: { persistPath: 'history.json' } } });
  const events: LoopEvent[] = [];
  using _listener = runner.subscribe((event) => void events.push(event));
  await runner.run();
  expect(typesOf(events)).toEqual([
    'started',
    'iteration_started 1',
    'iteration_failed 1',
    'iteration_started 2',
    'iteration_completed 2',
    'completed',
  ]);
  expect(runner.stats()).toMatchObject({ iterations: 2, failedIterations: 1, testFailureStreak: 0 });
  expect(runner.history().getSummary()).toMatchObject({
    totalIterations: 2,
    successfulIterations: 1,
    failedIterations: 1,
  });
  const history = new IterationHistory({ ...HistoryConfig.default(), persistPath: `${project.folder}/history.json` });
  await history.load();
  expect(history.getSummary()).toEqual(runner.history().getSummary());
  expect(history.get(1)).toMatchObject({ status: 'failed', metadata: { loop_id: runner.ralphdId() } });
  expect(history.get(2)?.result?.filesCreated).not.toContain('history.json');
});

test('A130: a state manager keeps the document of a running loop, saved at every change', async () => {
  const project = projectWith(done);
  const config = {
    ...StatePersistenceConfig.default(),
    statePath: `${project.folder}/loop.json`,
    backupDir: `${project.folder}/copies`,
  };
  const manager = new StateManager(config);
  const runner = runnerIn(project, {}, { stateManager: manager });
  await runner.run();
  const stored = JSON.parse(project.read('loop.json')) as object;
  expect(stored).toEqual(manager.getState());
  expect(stored).toMatchObject({
    loop_id: runner.ralphdId(),
    core: { status: 'completed', iteration: 1, prompt_path: 'prompt.md' },
    session: { session_history: expect.any(Array) as object },
    metrics: { total_iterations: 1 },
  });
});
