import { expect, test } from 'vitest';
import { evolve, type Loop } from '../core/index.ts';
import type { LoopConfigInput } from '../protocol/index.ts';
import type { AgentRun } from './ports/agent-port.ts';
import type { ConditionTask } from './ports/conditions-port.ts';
import type { HookTask } from './ports/hooks-port.ts';
import { at, createWorld, done, leave, stay } from './testing/driven-world.ts';

const hooks = [{ name: 'both', at: ['pre_iteration' as const, 'post_iteration' as const], run: 'true' }];

test('A058: a fact is on disk before any listener receives it, and the loop matches the disk', async () => {
  const { world, drive } = await createWorld();
  const before = drive.loop;
  let received = 0;
  using _subscription = drive.facts.subscribe((fact) => {
    received += 1;
    expect(world.disk.map(({ seq }) => seq)).toContain(fact.seq);
    expect(drive.loop.journal.seq).toBeGreaterThanOrEqual(fact.seq);
  });
  const { loop } = await drive.run(stay);
  expect(loop).toMatchObject({ status: 'completed', outcome: { verified: true } });
  expect(received).toBe(world.disk.length - 1);
  expect(world.disk.slice(1).reduce((state: Loop, fact) => evolve(state, fact), before)).toEqual(loop);
  expect(world.saves).toBeGreaterThan(1);
});

test('a failing disk ends the run with its error, and nothing unwritten is published', async () => {
  const { world, drive } = await createWorld();
  const received: string[] = [];
  using _subscription = drive.facts.subscribe(({ type }) => received.push(type));
  world.agent = async () => {
    world.diskIsFull = true;
    return done;
  };
  await expect(drive.run(stay)).rejects.toThrow('the disk is full');
  expect(received).toEqual(['iteration.started']);
});

test('an agent in a session gets its prompt, and the loop is parked in the middle of the iteration', async () => {
  const { world, drive } = await createWorld();
  const prompts: string[] = [];
  world.handOver = ({ prompt }) => {
    prompts.push(prompt);
    return { agent: 'claude', id: 's-1' };
  };
  world.agent = async () => {
    throw new Error('nothing may be started');
  };
  const { loop } = await drive.run(leave);
  expect(loop).toMatchObject({
    status: 'running',
    position: { current: { iteration: 1, stage: 'begun' } },
    pending: { wakeAt: at, hostSession: { agent: 'claude', id: 's-1' } },
  });
  expect(world.disk.at(-1)).toMatchObject({ type: 'loop.parked', data: { session: { id: 's-1' } } });
  expect(prompts).toEqual(world.prompts);
});

test('A042: a loop that rests stays only as long as it should', async () => {
  const { drive } = await createWorld();
  await drive.send({ id: 'one', command: 'pause' });
  await expect(drive.run(leave)).resolves.toMatchObject({ loop: { status: 'paused' } });
});

test('A081, A084, A085: hooks run before and after the agent, and get its result', async () => {
  const { world, drive } = await createWorld({ hooks });
  const tasks: HookTask[] = [];
  const order: string[] = [];
  world.hooks = async (task) => {
    tasks.push(task);
    order.push(task.point);
    return { results: [], data: { [`at_${task.point}`]: 'yes' } };
  };
  world.agent = async () => {
    order.push('agent');
    return done;
  };
  await drive.run(stay);
  expect(order).toEqual(['pre_iteration', 'agent', 'post_iteration']);
  expect(tasks[0]).toMatchObject({ isRepeat: false, data: {}, context: { iteration: 1, status: 'pre_hooks' } });
  expect(tasks[1]).toMatchObject({
    data: { at_pre_iteration: 'yes' },
    context: { status: 'completed', verdict: 'passed' },
  });
});

test('A048: hooks that are interrupted have no result, and run again after the resume', async () => {
  const { world, drive } = await createWorld({ hooks });
  let runs = 0;
  world.hooks = async (_task, { signal }) => {
    runs += 1;
    if (runs > 1) return { results: [] };
    const broken = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await world.deliver({ id: 'one', command: 'pause', now: true });
    await broken;
    expect(signal.reason).toEqual({ cause: 'user' });
    return undefined;
  };
  await expect(drive.run(leave)).resolves.toMatchObject({ loop: { status: 'paused' } });
  expect(world.disk.map(({ type }) => type)).not.toContain('hooks.finished');
  await drive.send({ id: 'two', command: 'resume' });
  await expect(drive.run(stay)).resolves.toMatchObject({ loop: { status: 'completed' } });
  expect(runs).toBe(3);
});

test('a command that comes while the prompt is read keeps the agent from starting', async () => {
  const { world, drive } = await createWorld();
  let runs = 0;
  world.prompt = async () => {
    await world.deliver({ id: 'one', command: 'pause', now: true });
    return { parts: [{ text: 'the task' }] };
  };
  world.agent = async () => {
    runs += 1;
    return done;
  };
  await expect(drive.run(leave)).resolves.toMatchObject({ loop: { status: 'paused' } });
  expect(runs).toBe(0);
});

test('B009: the variables of a prompt get the values of each attempt, and an unknown one stays', async () => {
  const { world, drive } = await createWorld({ session: { strategy: 'continue' }, maxIterations: 7 });
  const names = ['iteration', 'max_iterations', 'session_id', 'timestamp', 'typo'];
  world.prompt = async () => ({
    parts: names.flatMap((variable) => [{ variable, written: `{{${variable}}}` }, { text: '|' }]),
  });
  world.agent = async () => ({
    ...done,
    claimText: world.prompts.length === 2 ? done.claimText : '',
    sessionId: 'abc',
  });
  await drive.run(stay);
  expect(world.prompts.map((text) => text.split('\n').at(-2))).toEqual([
    `1|7||${new Date(world.nowMs).toISOString()}|{{typo}}|`,
    `2|7|abc|${new Date(world.nowMs).toISOString()}|{{typo}}|`,
  ]);
});

test.each([true, false])(
  'A016: with "session.persist: %s" the id of a session is recorded accordingly',
  async (persist) => {
    const { world, drive } = await createWorld({ session: { persist } });
    world.agent = async () => ({ ...done, sessionId: 'abc' });
    const { loop } = await drive.run(stay);
    expect(loop.status).toBe('completed');
    expect(JSON.stringify([world.disk, loop]).includes('abc')).toBe(persist);
  },
);

test('an echo of the prompt that the agent was given is no claim, whatever became of the file it was kept in', async () => {
  const { world, drive } = await createWorld({ maxIterations: 1 });
  const task = 'Say this at the end:\n<promise>DONE</promise>';
  world.prompt = async () => ({ parts: [{ text: task }] });
  const given: string[] = [];
  world.agent = async ({ prompt }) => {
    given.push(prompt);
    return { ...done, claimText: prompt, text: prompt };
  };
  const { loop } = await drive.run(leave);
  expect(given).toEqual(world.prompts);
  expect(loop).toMatchObject({ status: 'failed', outcome: { verified: false } });
});

test('an agent may outlive its owner only as long as the lease permits', async () => {
  const untilMs = Date.parse(at) + 5_000;
  const { world, drive } = await createWorld({}, { permit: () => ({ untilMs }) });
  const permits: unknown[] = [];
  world.agent = async ({ permit }) => {
    permits.push(permit);
    return done;
  };
  await drive.run(stay);
  expect(permits).toEqual([{ untilMs }]);
});

test('a run follows another directly only when nothing was done or waited for in between', async () => {
  const quiet: AgentRun = { ...done, claimText: 'still at it', text: 'still at it' };
  const straightOf = async (config: LoopConfigInput) => {
    const { world, drive } = await createWorld({ maxIterations: 3, ...config });
    world.agent = async () => quiet;
    await drive.run(leave);
    return world.straight;
  };
  expect(await straightOf({})).toEqual([false, true, true]);
  expect(await straightOf({ iterationDelay: '2s' })).toEqual([false, false, false]);
  expect(await straightOf({ hooks: [{ name: 'after', at: ['post_iteration'], run: 'true' }] })).toEqual([
    false,
    false,
    false,
  ]);
  expect(await straightOf({ completionPromise: null })).toEqual([false]);
});

test('R18: a session that is continued is named to the agent', async () => {
  const { world, drive } = await createWorld({ session: { strategy: 'continue' } });
  const sessions: unknown[] = [];
  world.agent = async ({ session, sessionId }) => {
    sessions.push([session, sessionId]);
    return { ...done, claimText: sessions.length === 3 ? done.claimText : '', sessionId: 'abc' };
  };
  await drive.run(stay);
  expect(sessions).toEqual([
    ['fresh', undefined],
    ['continue', 'abc'],
    ['continue', 'abc'],
  ]);
});

test('a loop that waits longer than its owner stays is parked with the instant at which it is due', async () => {
  const { world, drive } = await createWorld();
  const resetAt = new Date(world.nowMs + 3_600_000).toISOString();
  world.agent = async () => ({ ...done, outcome: 'rate_limited', claimText: '', resetAt });
  const { loop, wakeAt } = await drive.run({ ...leave, returnWhenWaitingLongerThanMs: 60_000 });
  expect(loop).toMatchObject({ status: 'running', phase: 'waiting' });
  expect(wakeAt).toBe(loop.pending.wait?.until);
  expect(Date.parse(wakeAt ?? '')).toBeGreaterThanOrEqual(Date.parse(resetAt));
  expect(loop.pending.wakeAt).toBe(wakeAt);
  expect(world.disk.at(-1)).toMatchObject({ type: 'loop.parked', data: { wakeAt } });
});

test('a parked loop continues its wait, and is parked again while the wait lasts', async () => {
  const { world, drive } = await createWorld();
  const resetAt = new Date(world.nowMs + 3_600_000).toISOString();
  world.agent = async () => ({ ...done, outcome: 'rate_limited', claimText: '', resetAt });
  const patience = { ...leave, returnWhenWaitingLongerThanMs: 60_000 };
  const { wakeAt } = await drive.run(patience);
  expect((await drive.run(patience)).wakeAt).toBe(wakeAt);
  world.nowMs = Date.parse(wakeAt ?? '');
  world.agent = async () => done;
  expect((await drive.run(patience)).loop).toMatchObject({ status: 'completed', pending: {} });
  expect(world.disk.map(({ type }) => type)).not.toContain('loop.recovered');
});

test('a command that comes while a loop is being given back is carried out, not left to the next owner', async () => {
  const { world, drive } = await createWorld();
  const resetAt = new Date(world.nowMs + 3_600_000).toISOString();
  world.agent = async () => ({ ...done, outcome: 'rate_limited', claimText: '', resetAt });
  const aborted = Promise.withResolvers<unknown>();
  drive.facts.subscribe(({ type }) => {
    if (type === 'loop.parked') aborted.resolve(world.deliver({ id: 'a', command: 'abort' }));
  });
  const { loop, wakeAt } = await drive.run({ ...leave, returnWhenWaitingLongerThanMs: 60_000 });
  expect(await aborted.promise).toEqual({ accepted: true });
  expect(loop).toMatchObject({ status: 'aborted' });
  expect(wakeAt).toBeUndefined();
});

test('a retry makes a parked loop due at once', async () => {
  const { world, drive } = await createWorld();
  const resetAt = new Date(world.nowMs + 3_600_000).toISOString();
  world.agent = async () => ({ ...done, outcome: 'rate_limited', claimText: '', resetAt });
  await drive.run({ ...leave, returnWhenWaitingLongerThanMs: 60_000 });
  await drive.send({ id: 'r', command: 'retry' });
  expect(drive.loop).toMatchObject({ status: 'running', pending: { wakeAt: world.disk.at(-1)?.at } });
  expect(drive.loop.pending).not.toHaveProperty('wait');
});

test('a loop that is given back because it waits is not woken before the wait is over, however little time it has left', async () => {
  const resetAt = '2026-11-01T17:00:00.000Z';
  const { world, drive } = await createWorld({ maxTime: '10m' });
  world.agent = async () => ({ ...done, claimText: '', outcome: 'usage_limited', resetAt });
  const { loop, wakeAt } = await drive.run({ ...leave, returnWhenWaitingLongerThanMs: 60_000 });
  expect(wakeAt).toBe(loop.pending.wait?.until);
});

test('B038: conditions are observed after the run, and the output of the agent is matched against them', async () => {
  const sets: LoopConfigInput['stopConditions'] = {
    stop: [{ type: 'output_pattern', text: 'no way' }, { type: 'user_signal' }],
    success: [{ type: 'file_created', path: 'x' }],
  };
  const { world, drive } = await createWorld({ stopConditions: sets });
  let seen: ConditionTask | undefined;
  world.agent = async () => ({ ...done, claimText: 'the last words', text: 'I see no way\nthe last words' });
  world.conditions = async (task) => {
    seen = task;
    return task.conditions.map(({ key }) => ({ key, met: key === 'success.0' }));
  };
  const { loop } = await drive.run(stay);
  expect(loop).toMatchObject({ status: 'completed', outcome: { verified: true }, position: { finished: 1 } });
  expect(seen).toMatchObject({
    iteration: 1,
    attempt: 1,
    conditions: [{ key: 'success.0' }, { key: 'stop.1' }],
    context: { status: 'verifying', claimed: false },
    since: at,
    isRepeat: false,
  });
  const facts = world.disk.map(({ type, data }) => ({ type, data }));
  expect(facts.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['agent.finished', 'conditions.observed', 'gate.started', 'gate.finished']),
  );
  expect(facts.find(({ type }) => type === 'agent.finished')?.data).toMatchObject({ outputMatches: ['stop.0'] });
  expect(facts.find(({ type }) => type === 'gate.started')?.data).toMatchObject({ conditions: ['success.0'] });
});

test('A048: a look that is interrupted has shown nothing, and is taken again after the resume', async () => {
  const { world, drive } = await createWorld({ stopConditions: { stop: [{ type: 'user_signal' }] } });
  let looks = 0;
  world.conditions = async ({ conditions }, { signal }) => {
    looks += 1;
    if (looks > 1) return conditions.map(({ key }) => ({ key, met: true }));
    await world.deliver({ id: 'p', command: 'pause', now: true });
    expect(signal.aborted).toBe(true);
    return undefined;
  };
  world.agent = async () => ({ ...done, claimText: '', text: '' });
  expect((await drive.run(leave)).loop).toMatchObject({ status: 'paused', outcome: { reason: 'user_pause' } });
  await drive.send({ id: 'r', command: 'resume' });
  expect((await drive.run(stay)).loop).toMatchObject({
    status: 'failed',
    outcome: { reason: 'condition' },
    position: { finished: 1 },
  });
  expect(looks).toBe(2);
});
