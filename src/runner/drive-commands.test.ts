import { expect, test } from 'vitest';
import type { LoopCommand } from '../core/index.ts';
import type { Answer } from './ports/command-bus.ts';
import { createWorld, done, leave, stay, untilStopped } from './testing/driven-world.ts';

test('a command that cannot be recorded ends the agent and the run, and stays with its sender', async () => {
  const { world, drive } = await createWorld();
  let answer: Promise<Answer> | undefined;
  let runs = 0;
  world.agent = async (task) => {
    runs += 1;
    if (runs > 1) return done;
    world.diskIsFull = true;
    answer = world.deliver({ id: 'one', command: 'guide', text: 'x' });
    answer.catch(() => (world.diskIsFull = false));
    return await untilStopped(task);
  };
  await expect(drive.run(stay)).rejects.toThrow('the disk is full');
  await expect(answer).rejects.toThrow('the disk is full');
  expect(runs).toBe(1);
});

test('after facts that could not be recorded nothing is recorded any more, even if the disk works again', async () => {
  const { world, drive } = await createWorld();
  world.diskIsFull = true;
  await expect(drive.send({ id: 'one', command: 'guide', text: 'x' })).rejects.toThrow('the disk is full');
  world.diskIsFull = false;
  await expect(drive.send({ id: 'two', command: 'guide', text: 'y' })).rejects.toThrow('the disk is full');
  await expect(drive.run(leave)).rejects.toThrow('the disk is full');
  expect(world.disk.map(({ type }) => type)).toEqual(['loop.started']);
});

test('a command is answered once its answer is written; one that comes again is answered without a second fact', async () => {
  const { world, drive } = await createWorld();
  const answers: number[] = [];
  world.agent = async () => {
    const command: LoopCommand = { id: 'one', command: 'guide', text: 'mind the gap' };
    for (const _time of ['first', 'second']) {
      expect(await world.deliver(command)).toEqual({ accepted: true });
      answers.push(world.disk.length);
    }
    return done;
  };
  await drive.run(stay);
  const at = world.disk.findIndex(({ type }) => type === 'command.accepted') + 1;
  expect(answers).toEqual([at, at]);
});

test('a disk that is nearly full ends the agent and pauses the loop with what to do, while it still takes facts', async () => {
  const { world, drive } = await createWorld();
  world.agent = async (task) => {
    const stopped = untilStopped(task);
    world.setTrouble('The disk is full. Free some space.');
    const ran = await stopped;
    expect(task.signal.reason).toEqual({ cause: 'trouble' });
    return ran;
  };
  const { loop } = await drive.run(leave);
  expect(loop).toMatchObject({
    status: 'paused',
    outcome: { reason: 'environment', message: 'The disk is full. Free some space.' },
    position: { finished: 0 },
  });
});

test('a disk that is full a second time, after a resume, pauses the loop a second time', async () => {
  const { world, drive } = await createWorld();
  world.agent = async (task) => {
    world.setTrouble('The disk is full.');
    return await untilStopped(task);
  };
  expect((await drive.run(leave)).loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' } });
  world.setTrouble();
  await drive.send({ id: 'r', command: 'resume' });
  expect((await drive.run(leave)).loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' } });
  expect(world.disk.filter(({ type }) => type === 'loop.paused')).toHaveLength(2);
});

test('a loop that is resumed while its disk is still full rests again before an agent starts', async () => {
  const { world, drive } = await createWorld();
  let runs = 0;
  world.agent = async (task) => {
    runs += 1;
    world.setTrouble('The disk is full.');
    return await untilStopped(task);
  };
  await drive.run(leave);
  await drive.send({ id: 'r', command: 'resume' });
  expect((await drive.run(leave)).loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' } });
  expect(runs).toBe(1);
});

test('a lease that is lost while a decision is being recorded starts nothing more', async () => {
  const { world, drive } = await createWorld();
  const lost = new Error('another process owns the loop');
  let runs = 0;
  world.agent = async () => {
    runs += 1;
    return done;
  };
  using _subscription = drive.facts.subscribe(({ type }) => {
    if (type === 'iteration.started') world.lose(lost);
  });
  await expect(drive.run(stay)).rejects.toBe(lost);
  expect(runs).toBe(0);
});

test('a driver whose lease is lost kills its agent, writes nothing more and ends with the reason', async () => {
  const { world, drive } = await createWorld();
  const lost = new Error('another process owns the loop');
  world.agent = async (task) => {
    const stopped = untilStopped({ ...task, signal: task.kill });
    world.lose(lost);
    expect(task.signal.reason).toEqual({ cause: 'lease_lost' });
    return await stopped;
  };
  await expect(drive.run(stay)).rejects.toBe(lost);
  expect(world.disk.map(({ type }) => type)).toEqual(['loop.started', 'iteration.started']);
  await expect(drive.send({ id: 'p', command: 'pause' })).rejects.toBe(lost);
});

test('a command that comes while facts are being written is decided on what they lead to', async () => {
  const { world, drive } = await createWorld();
  const ready = Promise.withResolvers<void>();
  world.diskIsReady = ready.promise;
  const pausing = drive.send({ id: 'p', command: 'pause' });
  const pausingNow = drive.send({ id: 'q', command: 'skip' });
  ready.resolve();
  expect(await pausing).toEqual({ accepted: true });
  expect(await pausingNow).toEqual({
    accepted: false,
    why: 'no iteration is under way',
    allowed: ['pause', 'resume', 'stop', 'abort', 'reboot', 'guide', 'mode', 'note', 'breakpoint'],
  });
  expect(world.disk.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'loop.started'],
    [2, 'command.accepted'],
    [3, 'command.refused'],
  ]);
});

test('a command to a loop that has ended is refused, and nothing is written for it', async () => {
  const { world, drive } = await createWorld();
  await drive.run(stay);
  const written = world.disk.length;
  const why = 'the loop has already ended (completed)';
  expect(await drive.send({ id: 'late', command: 'pause' })).toEqual({ accepted: false, why, allowed: [] });
  expect(world.disk).toHaveLength(written);
});

test('R5: a pause that comes while a run is being written down lets no check start', async () => {
  const { world, drive } = await createWorld();
  const ready = Promise.withResolvers<void>();
  world.agent = async () => {
    world.diskIsReady = ready.promise;
    setImmediate(() => {
      void world.deliver({ id: 'one', command: 'pause', now: true });
      ready.resolve();
    });
    return done;
  };
  expect((await drive.run(leave)).loop.status).toBe('paused');
  expect(world.disk.map(({ type }) => type)).not.toContain('gate.started');
});

test('a loop that is lost while facts are written starts no agent any more', async () => {
  const { world, drive } = await createWorld();
  let runs = 0;
  world.agent = async () => {
    runs += 1;
    return done;
  };
  using _subscription = drive.facts.subscribe(({ type }) => {
    if (type === 'iteration.started') world.lose(new Error('somebody else owns the loop'));
  });
  await expect(drive.run(stay)).rejects.toThrow('somebody else owns the loop');
  expect(runs).toBe(0);
});

test('a resume that comes right after the decision to pause is carried out before the owner leaves', async () => {
  const { world, drive } = await createWorld();
  let answer: Promise<Answer> | undefined;
  let runs = 0;
  world.agent = async () => {
    runs += 1;
    if (runs === 1) await world.deliver({ id: 'p', command: 'pause' });
    return runs === 1 ? { ...done, claimText: 'more to do' } : done;
  };
  using _subscription = drive.facts.subscribe(({ type }) => {
    if (type === 'loop.paused') answer = world.deliver({ id: 'r', command: 'resume' });
  });
  const { loop } = await drive.run(leave);
  expect(await answer).toEqual({ accepted: true });
  expect(loop.status).toBe('completed');
  expect(runs).toBe(2);
});

test('A042, A048: a resume withdraws a pending pause, and the loop never pauses', async () => {
  const { world, drive } = await createWorld();
  world.agent = async () => {
    expect(await world.deliver({ id: 'p', command: 'pause' })).toEqual({ accepted: true });
    expect(drive.loop.commands.requests.pause).toMatchObject({ now: false, reason: 'user_pause' });
    expect(await world.deliver({ id: 'r', command: 'resume' })).toEqual({ accepted: true });
    return done;
  };
  const { loop } = await drive.run(leave);
  expect(loop.status).toBe('completed');
  expect(world.disk.map(({ type }) => type)).not.toContain('loop.paused');
});
