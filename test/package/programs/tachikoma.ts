// A program written from the surface of Tachikoma's documents alone. The tests compile it strictly against the types of the
// package, from which it then imports, and run it in a folder with a prompt.md and a fake Claude Code in claude.sh.
import assert from 'node:assert/strict';
import {
  HistoryConfig,
  Iteration,
  IterationConfig,
  IterationExecutor,
  IterationHistory,
  type IterationOutcome,
  type IterationResult,
  IterationStatus,
  LoopCommand,
  LoopConfig,
  LoopContext,
  LoopError,
  type LoopEvent,
  LoopId,
  LoopRunner,
  LoopState,
  LoopStats,
  type LoopStatsSnapshot,
  LoopStatus,
  type PersistedLoopState,
  Session,
  SessionConfig,
  STATE_VERSION,
  StateManager,
  StatePersistenceConfig,
  StopConditionsConfig,
  TestResults,
  TestStatus,
} from '../../../src/tachikoma.ts';

function config(): LoopConfig {
  return {
    ...LoopConfig.default(),
    maxIterations: 2,
    iterationDelay: '0s',
    stopConditions: { ...StopConditionsConfig.default(), maxNoProgressIterations: 2 },
    session: { ...SessionConfig.default(), claudeCommand: './claude.sh' },
  };
}

/** The loop runner: configuration, states, commands, events, counters. */
async function runLoops(): Promise<void> {
  const defaults: LoopConfig = LoopConfig.default();
  assert.equal(defaults.contextRedlinePercent, 85);
  assert.equal(defaults.session.claudeCommand, 'claude');
  assert.equal(defaults.stopConditions.maxTestFailureStreak, 3);

  const runner = new LoopRunner(config());
  const id: LoopId = runner.id();
  assert.match(id.toString(), /^loop_/);
  assert.equal(runner.state(), LoopState.Idle);
  const receiver = runner.subscribeEvents();
  const seen: string[] = [];
  const outcomes: IterationOutcome[] = [];
  const listening = (async () => {
    for (let event = await receiver.recv(); event !== undefined; event = await receiver.recv()) {
      seen.push(describe(event));
      assert.ok(event.loopId.equals(id));
      if (event.type === 'iteration_completed') outcomes.push(event.outcome);
    }
  })();
  await runner.run();
  await listening;
  console.log(seen.join(', '));
  const stats: LoopStatsSnapshot = runner.stats();
  console.log(stats.iterations, stats.successfulIterations, stats.failedIterations, stats.reboots);
  console.log(outcomes.map(({ iteration, madeProgress }) => `${iteration} ${madeProgress}`).join(', '));
  assert.ok(LoopState.isTerminal(runner.state()));

  const paused = new LoopRunner({ ...config(), maxIterations: 100 });
  const sender = paused.commandSender();
  await sender.send(LoopCommand.Pause);
  const running = paused.run();
  const events = paused.subscribeEvents();
  while (paused.state() !== LoopState.Paused) await events.recv();
  await assert.rejects(paused.run(), (error) => error instanceof LoopError && error.kind === 'AlreadyRunning');
  await sender.send(LoopCommand.Stop);
  await running;
  console.log(paused.state(), LoopState.canStart(paused.state()));

  const lost = new LoopRunner({ ...config(), promptPath: 'nothing.md' });
  await assert.rejects(lost.run(), (error) => error instanceof LoopError && error.details.kind === 'PromptLoadFailed');

  const counters = new LoopStats();
  counters.incrementIterations();
  counters.recordFailure();
  assert.equal(counters.getFailureStreak(), 1);
  counters.recordSuccess();
  assert.equal(counters.snapshot().iterations, 1);
  const context = new LoopContext(LoopId.new());
  context.markStarted();
  assert.equal(context.getState(), LoopState.Running);
}

function describe(event: LoopEvent): string {
  switch (event.type) {
    case 'iteration_started':
    case 'iteration_completed':
      return `${event.type} ${event.iteration}`;
    case 'iteration_failed':
      return `${event.type} ${event.iteration}: ${event.error}`;
    case 'stop_condition_triggered':
    case 'stopped':
    case 'paused':
      return `${event.type}: ${event.reason}`;
    case 'error':
      return `${event.type}: ${event.error}`;
    case 'started':
    case 'completed':
    case 'resumed':
    case 'reboot_started':
    case 'reboot_completed':
      return event.type;
  }
}

/** One iteration by hand, and its history. */
async function runIterations(): Promise<void> {
  const executor = new IterationExecutor({ ...IterationConfig.default(), timeout: '1m' });
  const history = new IterationHistory({ ...HistoryConfig.default(), persistPath: 'history.json', maxInMemory: 1 });
  const session = new Session({ claudeCommand: './claude.sh' });
  for (let number = 1; number <= 2; number += 1) {
    const iteration = new Iteration(number, 'Make the tests pass');
    assert.equal(iteration.status, IterationStatus.Pending);
    const result: IterationResult = await executor.execute(iteration, session);
    assert.equal(result.exitCode, 0);
    assert.equal(iteration.status, IterationStatus.Completed);
    history.add(iteration);
  }
  await history.persist();
  const loaded = new IterationHistory({ ...HistoryConfig.default(), persistPath: 'history.json' });
  await loaded.load();
  assert.deepEqual(loaded.getSummary(), history.getSummary());
  console.log(
    loaded.getSummary().totalIterations,
    loaded
      .getLast(5)
      .map(({ number }) => number)
      .join(' '),
  );
  const [newest] = loaded.getLast(1);
  console.log(newest?.result?.summary, newest?.result?.progressDetected, loaded.getFailureStreak());

  const tests = new TestResults({
    total: 2,
    passed: 1,
    failed: 1,
    skipped: 0,
    details: [{ name: 'adds', status: TestStatus.Failed, durationMs: 5, error: 'expected 2' }],
  });
  assert.equal(tests.successRate(), 50);
  assert.equal(tests.allPassed(), false);
}

/** State that outlives the program. */
async function keepState(): Promise<void> {
  const place = { ...StatePersistenceConfig.default(), statePath: 'state/loop.json', backupDir: 'state/backups' };
  const manager = new StateManager(place);
  assert.equal(await manager.initialize('one'), undefined);
  const autoSave = manager.startAutoSave();
  await manager.updateCore(LoopStatus.Running, 3);
  await manager.updateSession('session-1', 40);
  await manager.updateProgress(true, 0.8);
  await manager.updateTests(0, ['adds'], []);
  await manager.update((state) => {
    state.custom['owner'] = 'me';
  });
  assert.equal(manager.isDirty(), true);
  await autoSave.stop();
  assert.equal(manager.isDirty(), false);
  const backup: string = await manager.backup();
  assert.match(backup, /state_\d{8}_\d{6}\.json$/);

  const next = new StateManager(place);
  const state: PersistedLoopState | undefined = await next.initialize('one');
  assert.equal(state?.version, STATE_VERSION);
  console.log(state.core.status, state.core.iteration, state.session.current_session_id, state.custom['owner']);
  await assert.rejects(new StateManager(place).initialize('two'), (error) => {
    return error instanceof LoopError && error.kind === 'StateLoadFailed';
  });
  await next.clear();
  assert.equal(next.getState(), undefined);
  assert.equal(await new StateManager(place).initialize('two'), undefined);
}

await runLoops();
await runIterations();
await keepState();
