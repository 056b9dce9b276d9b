import { expect, test } from 'vitest';
import type { LoopConfigInput, LoopEvent } from '../../src/index.ts';
import { writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { library, runnerIn } from '../support/library.ts';
import { createProject, factsOf, journalOf, loopIds, type Project } from '../support/project.ts';

function preparedProject(): Project {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  return project;
}

const leave = { whenPaused: 'leave' } as const;

async function collect(events: AsyncIterable<LoopEvent>): Promise<readonly LoopEvent[]> {
  const seen: LoopEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

test('A024 A028 A034: a new runner is idle, has not started, has no reason to stop, and is named by its UUID', () => {
  const runner = runnerIn(preparedProject());
  expect(runner.state).toBe('idle');
  expect(runner.id).toMatch(/^loop_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(runner.context).toEqual({ id: runner.id, state: 'idle', stats: runner.stats, guidance: [] });
  expect(runner.stats).toMatchObject({ iterations: 0, successfulIterations: 0, failedIterations: 0, reboots: 0 });
});

test('A026 A062: a loop starts, walks the right states and says what became of it', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const uuid = runner.id.slice('loop_'.length);
  const states = new Set([runner.state]);
  using _subscription = runner.subscribe(() => states.add(runner.state));
  const result = await runner.run();
  states.add(runner.state);
  expect([...states]).toEqual(['idle', 'running', 'completed']);
  expect(result).toEqual({ loopId: runner.id, context: runner.context, verified: true });
  expect(runner.id).toBe(`ralph-fix-the-tests-${uuid.slice(0, 8)}`);
  expect(runner.context).toMatchObject({ state: 'completed', stopReason: 'completed', stats: { iterations: 1 } });
  expect(factsOf(project, 'loop.started')).toMatchObject([{ loopId: runner.id, uuid }]);
});

test('A036 A057 A058 A066: every subscriber gets every fact of the journal in order, and the iteration ends by itself', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const called: string[] = [];
  const read = async () => (await collect(runner.events())).map(({ seq, type }) => `${seq} ${type}`);
  const readers = [read(), read()];
  using _subscription = runner.subscribe(({ seq, type }) => called.push(`${seq} ${type}`));
  await runner.run();
  const written = journalOf(project).filter(({ type }) => type !== 'segment.opened');
  const expected = written.map(({ seq, type }) => `${seq} ${type}`);
  expect(expected[0]).toMatch(/ loop\.started$/);
  expect(expected.at(-1)).toMatch(/ loop\.ended$/);
  expect(called).toEqual(expected);
  expect(await Promise.all(readers)).toEqual([expected, expected]);
});

test('A057: every event names its loop; an iteration has its outcome, and the end the counters of the loop', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const events = collect(runner.events());
  await runner.run();
  const seen = await events;
  expect(new Set(seen.map(({ loopId }) => loopId))).toEqual(new Set([runner.id]));
  expect(seen.filter(({ outcome }) => outcome !== undefined)).toMatchObject([
    { type: 'iteration.finished', outcome: { iteration: 1, madeProgress: true, needsReboot: false, filesChanged: 2 } },
  ]);
  expect(seen.filter(({ stats }) => stats !== undefined)).toMatchObject([{ type: 'loop.ended', stats: runner.stats }]);
  const read = await collect(library.openLoops(project.folder).follow(runner.id, { afterSeq: seen[2]?.seq ?? 0 }));
  expect(read).toEqual(seen.slice(3));
});

test('A025: the last activity is when the last fact was written', async () => {
  const runner = runnerIn(preparedProject());
  const seen: [string, string | undefined][] = [];
  using _subscription = runner.subscribe(({ at }) => seen.push([at, runner.context.lastActivityAt]));
  await runner.run();
  expect(seen.length).toBeGreaterThan(5);
  expect(runner.context.lastActivityAt).toBe(seen.at(-1)?.[0]);
  expect(runner.context.startedAt).toBe(seen[0]?.[0]);
});

test('a listener that throws is dropped and harms neither the loop nor the others', async () => {
  const runner = runnerIn(preparedProject());
  let calls = 0;
  let others = 0;
  using _bad = runner.subscribe(() => {
    calls += 1;
    throw new Error('not my day');
  });
  using _good = runner.subscribe(() => (others += 1));
  await expect(runner.run()).resolves.toMatchObject({ verified: true });
  expect(calls).toBe(1);
  expect(others).toBeGreaterThan(5);
});

test('a reader that stops reading early does not hold the loop up', async () => {
  const runner = runnerIn(preparedProject());
  const first = (async () => {
    for await (const { type } of runner.events()) return type;
    return undefined;
  })();
  await expect(runner.run()).resolves.toMatchObject({ verified: true });
  expect(await first).toBe('loop.started');
});

test('A027 A065 A067: a loop that used up its iterations ends in error, with its reason and its counts', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const runner = runnerIn(project, { maxIterations: 3 });
  const { verified, context } = await runner.run();
  expect(verified).toBe(false);
  expect(context).toMatchObject({ state: 'error', stopReason: 'max_iterations', stopMessage: '3 of 3 iterations' });
  expect(runner.stats).toMatchObject({
    iterations: 3,
    successfulIterations: 3,
    failedIterations: 0,
    noProgressCount: 0,
  });
  expect(runner.stats.totalExecutionMs).toBeGreaterThan(0);
});

test('A037: a loop that is completed is not started again; the refusal names state and action', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  await runner.run();
  await expect(runner.run()).rejects.toMatchObject({
    failure: { code: 'INVALID_STATE', message: 'Cannot start a loop that is completed.' },
  });
  expect(loopIds(project)).toHaveLength(1);
});

test('A038: a second run at the same time is refused, and the first continues', async () => {
  const project = preparedProject();
  const runner = runnerIn(project);
  const first = runner.run();
  await expect(runner.run()).rejects.toMatchObject({ failure: { code: 'ALREADY_RUNNING' } });
  await expect(first).resolves.toMatchObject({ verified: true });
});

test('a run that cannot start creates nothing, ends its readers, and may be tried again', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const runner = runnerIn(project, { prompt: undefined, promptPath: 'task.md' });
  const events = collect(runner.events());
  await expect(runner.run()).rejects.toBeInstanceOf(library.LoopError);
  expect(await events).toEqual([]);
  expect(runner.state).toBe('idle');
  expect(project.has('.ralph')).toBe(false);
  project.write('task.md', 'Fix the tests');
  await expect(runner.run()).resolves.toMatchObject({ verified: true });
});

test('A061: a runner has the iterations of its run on record, newest first, with their totals', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const runner = runnerIn(project, { maxIterations: 3 });
  await runner.run();
  const { history } = runner;
  expect(history.summary).toMatchObject({ total: 3, successful: 3, failed: 0 });
  expect(library.lastIterations(history, 2).map(({ number }) => number)).toEqual([3, 2]);
  const newest = library.iterationByNumber(history, 3);
  expect(newest && library.outcomeOf(newest, 85)).toMatchObject({ iteration: 3, madeProgress: true, filesChanged: 2 });
});

test('A061 A096 A103: a runner for a loop that exists knows its state, its counters and its iterations before it runs', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const { loopId } = await runnerIn(project, { maxIterations: 2, onLimit: 'pause' }).run(leave);
  const next = runnerIn(project, {}, loopId);
  expect(next.context).toMatchObject({ id: loopId, state: 'paused', stopReason: 'max_iterations' });
  expect(next.stats).toMatchObject({ iterations: 2 });
  expect(next.history.records.map(({ number }) => number)).toEqual([1, 2]);
  expect(next.snapshot()).toMatchObject({ loop_id: loopId, core: { iteration: 2 } });
});

test('R4: a runner resumes a loop that a limit paused, once the limit is raised, and goes on counting', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const runner = runnerIn(project, { maxIterations: 2, onLimit: 'pause' });
  const { loopId } = await runner.run(leave);
  await expect(runner.run(leave)).rejects.toMatchObject({ failure: { code: 'RESUME_NEEDS_ROOM' } });
  const { context } = await runner.run({ ...leave, changes: { maxIterations: 3 } });
  expect(context).toMatchObject({ id: loopId, state: 'paused', stats: { iterations: 3 } });
  expect(runner.history.summary).toMatchObject({ total: 3, successful: 3 });
  expect(runner.history.records.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(loopIds(project)).toEqual([loopId]);
});

test('A061: a second run is a new loop with a history of its own', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const runner = runnerIn(project, { maxIterations: 2 });
  await runner.run();
  await runner.run();
  expect(runner.history.summary).toMatchObject({ total: 2 });
  expect(runner.history.records.map(({ number }) => number)).toEqual([1, 2]);
  expect(loopIds(project)).toHaveLength(2);
});

test('B002 B009: a program gives variables to a prompt file, and what it sets is stronger than the front matter', async () => {
  const project = preparedProject();
  project.write(
    'PROMPT.md',
    '---\niteration: { context_threshold: 60, run_tests: false }\nstrict: true\n---\nIn {{lang}}. {{typo}}',
  );
  const config: LoopConfigInput = {
    agent: 'command',
    agentCommand: './agent.sh',
    verify: ['./check.sh'],
    autoTest: true,
    vars: { lang: 'Danish' },
  };
  const runner = new library.LoopRunner(config, { cwd: project.folder, env: project.env, demoProgram: [] });
  await runner.run();
  expect(project.read('heard')).toContain('## Task\n\nIn Danish. {{typo}}\n');
  expect(factsOf(project, 'loop.started')).toMatchObject([{ config: { contextRedlinePercent: 60, autoTest: true } }]);
  expect(runner.problems).toEqual(['PROMPT.md has no value for {{typo}}: left unchanged.']);
});
