import { expect, test } from 'vitest';
import { evolve, type Loop, type LoopCommand, type PromptPart, replay } from '../core/index.ts';
import {
  type ConditionResult,
  configSchema,
  encodeConfig,
  type Fact,
  type LoopConfigInput,
  type RecordedFact,
} from '../protocol/index.ts';
import { createDrive } from './drive.ts';
import type { AgentRun, AgentTask, ConditionTask, EffectSignals, HooksRun, HookTask, RunnerPorts } from './ports.ts';

const done: AgentRun = {
  ending: { kind: 'exited', code: 0 },
  outcome: 'completed',
  claimText: '<promise>DONE</promise>',
  text: '<promise>DONE</promise>',
  prompt: '',
  durationMs: 1,
};

const at = '2026-11-01T12:00:00.000Z';
const oneFile = { known: true, headMoved: false, modified: ['a'], created: [], deleted: [], count: 1 };

function loopStarted(config: LoopConfigInput): RecordedFact {
  const data = {
    loopId: 'ralph-x-a1b2c3d4',
    uuid: 'a1b2c3d4-0000-4000-8000-000000000000',
    task: 'x',
    agent: 'command',
    workingDirectory: '/project',
    startedBy: 'user',
    config: encodeConfig(configSchema.parse({ baseline: false, iterationDelay: '0', ...config })),
    configHash: 'hash',
    checks: ['npm test'],
  };
  return { type: 'loop.started', data, seq: 1, at, epoch: 1 };
}

/** A drive over a world in memory: a disk that can fail, an agent that does what the test says. */
function createWorld(config: LoopConfigInput = {}) {
  const disk: RecordedFact[] = [loopStarted(config)];
  const world = {
    disk,
    diskIsFull: false,
    saves: 0,
    trouble: undefined as string | undefined,
    nowMs: Date.parse(at),
    agent: async (_task: AgentTask): Promise<AgentRun> => done,
    prompt: async (): Promise<readonly PromptPart[]> => [{ text: 'the task' }],
    told: [] as string[],
    hooks: async (_task: HookTask, _signals: EffectSignals): Promise<HooksRun | undefined> => ({ results: [] }),
    conditions: async (
      { conditions }: ConditionTask,
      _signals: EffectSignals,
    ): Promise<readonly ConditionResult[] | undefined> => conditions.map(({ key }) => ({ key, met: false })),
    deliver: (_command: LoopCommand, _done: () => void): void => {},
    /** Whether each run came straight behind another. */
    straight: [] as (boolean | undefined)[],
  };
  const append = (facts: readonly Fact[]): readonly RecordedFact[] => {
    if (world.diskIsFull) throw new Error('the disk is full');
    const written = facts.map((fact, index) => ({
      ...fact,
      seq: disk.length + 1 + index,
      at,
      epoch: 1,
    }));
    disk.push(...written);
    return written;
  };
  const waitUntil = async (instantMs: number) => {
    if (Number.isFinite(instantMs)) world.nowMs = Math.max(world.nowMs, instantMs);
  };
  const ports: RunnerPorts = {
    store: { append, save: () => void (world.saves += 1), trouble: () => world.trouble },
    clock: { nowMs: () => world.nowMs, monotonicMs: () => 0, waitUntil },
    agent: {
      preparePrompt: (_key, text) => world.told.push(text),
      run: async (task) => await world.agent(task),
      recover: async () => {},
    },
    gate: {
      run: async () => ({ verdict: 'passed', checks: [], durationMs: 1 }),
      captureStart: async () => ({ id: 'tree', files: 1, bytes: 1 }),
    },
    hooks: { run: async (task, signals) => await world.hooks(task, signals) },
    conditions: { observe: async (task, signals) => await world.conditions(task, signals) },
    workspace: {
      begin: async (_key, straight) => void world.straight.push(straight),
      restore: async () => {},
      changes: async () => oneFile,
    },
    prompt: { read: async () => await world.prompt() },
    endLeftWork: async () => undefined,
    commands: {
      listen(receive) {
        world.deliver = receive;
        return { [Symbol.dispose]: () => {} };
      },
    },
  };
  return { world, drive: createDrive(replay(disk), ports) };
}

/** An agent that works until it is told to stop. */
function untilStopped(signals: Pick<AgentTask, 'signal' | 'kill'>): Promise<AgentRun> {
  const stopped: AgentRun = { ...done, claimText: '', ending: { kind: 'stopped', by: 'request', forced: true } };
  return new Promise((resolve) => {
    for (const signal of [signals.signal, signals.kill]) signal.addEventListener('abort', () => resolve(stopped));
  });
}

const stay = { stayWhenPaused: () => true };

test('A058: a fact is on disk before anyone hears of it, and the loop is what the disk says', async () => {
  const { world, drive } = createWorld();
  const before = drive.loop;
  let heard = 0;
  using _subscription = drive.facts.subscribe((fact) => {
    heard += 1;
    expect(world.disk.map(({ seq }) => seq)).toContain(fact.seq);
    expect(drive.loop.seq).toBeGreaterThanOrEqual(fact.seq);
  });
  const loop = await drive.run(stay);
  expect(loop).toMatchObject({ status: 'completed', verified: true });
  expect(heard).toBe(world.disk.length - 1);
  expect(world.disk.slice(1).reduce((state: Loop, fact) => evolve(state, fact), before)).toEqual(loop);
  expect(world.saves).toBeGreaterThan(1);
});

test('a disk that fails ends the run with its error, and nobody hears of what was not written', async () => {
  const { world, drive } = createWorld();
  const heard: string[] = [];
  using _subscription = drive.facts.subscribe(({ type }) => heard.push(type));
  world.agent = async () => {
    world.diskIsFull = true;
    return done;
  };
  await expect(drive.run(stay)).rejects.toThrow('the disk is full');
  expect(heard).toEqual(['iteration.started']);
});

test('a command that cannot be recorded ends the agent and the run, and stays with its sender', async () => {
  const { world, drive } = createWorld();
  let answered = false;
  let runs = 0;
  world.agent = async (task) => {
    runs += 1;
    if (runs > 1) return done;
    queueMicrotask(() => {
      world.diskIsFull = true;
      world.deliver({ id: 'one', command: 'guide', text: 'x' }, () => (answered = true));
      world.diskIsFull = false;
    });
    return await untilStopped(task);
  };
  await expect(drive.run(stay)).rejects.toThrow('the disk is full');
  expect(answered).toBe(false);
  expect(runs).toBe(1);
});

test('a command is answered once its answer is written; one that comes again is answered without a second fact', async () => {
  const { world, drive } = createWorld();
  const answers: number[] = [];
  world.agent = async () => {
    const command: LoopCommand = { id: 'one', command: 'guide', text: 'mind the gap' };
    world.deliver(command, () => answers.push(world.disk.length));
    world.deliver(command, () => answers.push(world.disk.length));
    return done;
  };
  await drive.run(stay);
  const at = world.disk.findIndex(({ type }) => type === 'command.accepted') + 1;
  expect(answers).toEqual([at, at]);
});

test('A042: a loop that rests stays only as long as it should', async () => {
  const { drive } = createWorld();
  drive.send({ id: 'one', command: 'pause' });
  await expect(drive.run({ stayWhenPaused: () => false })).resolves.toMatchObject({ status: 'paused' });
});

const hooks = [{ name: 'both', at: ['pre_iteration' as const, 'post_iteration' as const], run: 'true' }];

test('A081, A084, A085: hooks run before and after the agent, and are told what it came to', async () => {
  const { world, drive } = createWorld({ hooks });
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
  expect(tasks[0]).toMatchObject({ isAgain: false, data: {}, context: { iteration: 1, status: 'pre_hooks' } });
  expect(tasks[1]).toMatchObject({
    data: { at_pre_iteration: 'yes' },
    context: { status: 'completed', verdict: 'passed' },
  });
});

test('A048: hooks that are broken off have said nothing, and run again after the resume', async () => {
  const { world, drive } = createWorld({ hooks });
  let runs = 0;
  world.hooks = async (_task, { signal }) => {
    runs += 1;
    if (runs > 1) return { results: [] };
    queueMicrotask(() => world.deliver({ id: 'one', command: 'pause', now: true }, () => {}));
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return undefined;
  };
  await expect(drive.run({ stayWhenPaused: () => false })).resolves.toMatchObject({ status: 'paused' });
  expect(world.disk.map(({ type }) => type)).not.toContain('hooks.finished');
  drive.send({ id: 'two', command: 'resume' });
  await expect(drive.run(stay)).resolves.toMatchObject({ status: 'completed' });
  expect(runs).toBe(3);
});

test('a command that comes while the prompt is read keeps the agent from starting', async () => {
  const { world, drive } = createWorld();
  let runs = 0;
  world.prompt = async () => {
    world.deliver({ id: 'one', command: 'pause', now: true }, () => {});
    return [{ text: 'the task' }];
  };
  world.agent = async () => {
    runs += 1;
    return done;
  };
  await expect(drive.run({ stayWhenPaused: () => false })).resolves.toMatchObject({ status: 'paused' });
  expect(runs).toBe(0);
});

test('B009: the variables of a prompt get the values of each attempt, and an unknown one stays', async () => {
  const { world, drive } = createWorld({ session: { strategy: 'continue' }, maxIterations: 7 });
  const names = ['iteration', 'max_iterations', 'session_id', 'timestamp', 'typo'];
  world.prompt = async () => names.flatMap((variable) => [{ variable, written: `{{${variable}}}` }, { text: '|' }]);
  world.agent = async () => ({ ...done, claimText: world.told.length === 2 ? done.claimText : '', sessionId: 'abc' });
  await drive.run(stay);
  expect(world.told.map((text) => text.split('\n').at(-2))).toEqual([
    `1|7||${new Date(world.nowMs).toISOString()}|{{typo}}|`,
    `2|7|abc|${new Date(world.nowMs).toISOString()}|{{typo}}|`,
  ]);
});

test('a run comes straight behind another only when nothing was done or waited for in between', async () => {
  const quiet: AgentRun = { ...done, claimText: 'still at it', text: 'still at it' };
  const straightOf = async (config: LoopConfigInput) => {
    const { world, drive } = createWorld({ maxIterations: 3, ...config });
    world.agent = async () => quiet;
    await drive.run({ stayWhenPaused: () => false });
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
  const { world, drive } = createWorld({ session: { strategy: 'continue' } });
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

test('a disk that is nearly full ends the agent and pauses the loop with what to do, while it still takes facts', async () => {
  const { world, drive } = createWorld();
  world.agent = async (task) => {
    world.trouble = 'The disk is full. Free some space.';
    const stopped = untilStopped(task);
    task.onStarted({ host: 'h', bootId: 'b', pid: 1, startTime: '1' });
    return await stopped;
  };
  const loop = await drive.run({ stayWhenPaused: () => false });
  expect(loop).toMatchObject({
    status: 'paused',
    reason: 'environment',
    message: 'The disk is full. Free some space.',
    finished: 0,
  });
});

test('B038: conditions are looked at behind the run, and what the agent said is held against them', async () => {
  const sets: LoopConfigInput['stopConditions'] = {
    stop: [{ type: 'output_pattern', text: 'no way' }, { type: 'user_signal' }],
    success: [{ type: 'file_created', path: 'x' }],
  };
  const { world, drive } = createWorld({ stopConditions: sets });
  let seen: ConditionTask | undefined;
  world.agent = async () => ({ ...done, claimText: 'the last words', text: 'I see no way\nthe last words' });
  world.conditions = async (task) => {
    seen = task;
    return task.conditions.map(({ key }) => ({ key, met: key === 'success.0' }));
  };
  const loop = await drive.run(stay);
  expect(loop).toMatchObject({ status: 'completed', verified: true, finished: 1 });
  expect(seen).toMatchObject({
    iteration: 1,
    attempt: 1,
    conditions: [{ key: 'success.0' }, { key: 'stop.1' }],
    context: { status: 'verifying', claimed: false },
    since: at,
    isAgain: false,
  });
  const facts = world.disk.map(({ type, data }) => ({ type, data }));
  expect(facts.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['agent.finished', 'conditions.observed', 'gate.started', 'gate.finished']),
  );
  expect(facts.find(({ type }) => type === 'agent.finished')?.data).toMatchObject({ outputMatches: ['stop.0'] });
  expect(facts.find(({ type }) => type === 'gate.started')?.data).toMatchObject({ conditions: ['success.0'] });
});

test('A048: a look that is broken off has shown nothing, and is taken again after the resume', async () => {
  const { world, drive } = createWorld({ stopConditions: { stop: [{ type: 'user_signal' }] } });
  let looks = 0;
  world.conditions = async ({ conditions }, { signal }) => {
    looks += 1;
    if (looks > 1) return conditions.map(({ key }) => ({ key, met: true }));
    world.deliver({ id: 'p', command: 'pause', now: true }, () => {});
    expect(signal.aborted).toBe(true);
    return undefined;
  };
  world.agent = async () => ({ ...done, claimText: '', text: '' });
  expect(await drive.run({ stayWhenPaused: () => false })).toMatchObject({ status: 'paused', reason: 'user_pause' });
  drive.send({ id: 'r', command: 'resume' });
  expect(await drive.run(stay)).toMatchObject({ status: 'failed', reason: 'condition', finished: 1 });
  expect(looks).toBe(2);
});
