import { expect, test } from 'vitest';
import type { Pulse } from '../protocol/index.ts';
import { at, createWorld, done, leave } from './testing/driven-world.ts';

const recent = [{ number: 1, at, kind: 'tool', text: 'Bash npm test' }] as const;
const origin = { version: 1, loopId: 'ralph-x-a1b2c3d4', epoch: 1, at, iteration: 1, attempt: 1 };

test('a drive shows what its agent and its checks do, and when each step is over', async () => {
  const { world, drive } = await createWorld({ maxIterations: 1 });
  const sent: (Pulse | undefined)[] = [];
  world.pulse = (pulse) => void sent.push(pulse);
  world.agent = async ({ onProgress }) => {
    onProgress?.({ pid: 7, recent: [] });
    onProgress?.({ pid: 7, model: 'opus', usage: { outputTokens: 5 }, recent });
    return done;
  };
  await drive.run(leave);
  const check = { ...origin, step: 'check', purpose: 'gate', since: at, index: 1, count: 1, command: 'npm test' };
  expect(sent).toEqual([
    { ...origin, step: 'agent', since: at, pid: 7, recent: [] },
    { ...origin, step: 'agent', since: at, pid: 7, model: 'opus', usage: { outputTokens: 5 }, recent },
    undefined,
    check,
    { ...check, verdict: 'passed' },
    undefined,
  ]);
});

test('a sink that throws disturbs nothing, and is not used again', async () => {
  const { world, drive } = await createWorld({ maxIterations: 1 });
  let calls = 0;
  world.pulse = () => {
    calls += 1;
    throw new Error('broken');
  };
  world.agent = async ({ onProgress }) => {
    for (let count = 0; count < 3; count += 1) onProgress?.({ recent: [] });
    return done;
  };
  const { loop } = await drive.run(leave);
  expect(loop.status).toBe('completed');
  expect(calls).toBe(1);
});

test('an agent that reports after its run is over is not shown as working', async () => {
  const { world, drive } = await createWorld({ maxIterations: 1 });
  const sent: (Pulse | undefined)[] = [];
  world.pulse = (pulse) => void sent.push(pulse);
  let late = () => {};
  world.agent = async ({ onProgress }) => {
    late = () => onProgress?.({ recent });
    return done;
  };
  await drive.run(leave);
  const before = sent.length;
  late();
  expect(sent).toHaveLength(before);
});
