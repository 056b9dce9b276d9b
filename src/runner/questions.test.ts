import { expect, test } from 'vitest';
import { at, createWorld, done, leave } from './testing/driven-world.ts';

test('B056: a loop that nobody answers continues by itself when the time is over, and not before', async () => {
  const { world, drive } = await createWorld({ mode: 'attended', ask: { autoApproveAfter: '5m' } });
  const startedAtMs: number[] = [];
  world.agent = async () => {
    startedAtMs.push(world.nowMs - Date.parse(at));
    return done;
  };
  const { loop } = await drive.run(leave);
  expect(loop.status).toBe('completed');
  expect(startedAtMs).toEqual([300_000]);
  const answers = world.disk.filter(({ type }) => type === 'question.answered');
  expect(answers.map(({ data }) => data)).toMatchObject([
    { point: 'iteration', by: 'timeout' },
    { point: 'completion', by: 'timeout' },
  ]);
});

test('B065: a question ends when the schedule switches to a mode that does not ask', async () => {
  const modeSchedule = [{ at: '22:00', mode: 'unattended', timeZone: 'UTC' } as const];
  const { world, drive } = await createWorld({ mode: 'attended', modeSchedule });
  const { loop } = await drive.run(leave);
  expect(loop.status).toBe('completed');
  expect(new Date(world.nowMs).toISOString()).toBe('2026-11-01T22:00:00.000Z');
  expect(world.disk.filter(({ type }) => type === 'question.answered')).toEqual([]);
});

test('B058: after a question the work tree is looked at anew, so that what a person changed is not the agent’s', async () => {
  const { world, drive } = await createWorld({ mode: 'attended', ask: { autoApproveAfter: '1s' }, maxIterations: 2 });
  world.agent = async () => ({ ...done, claimText: '', text: '' });
  await drive.run(leave);
  expect(world.straight).toEqual([false, false]);
});
