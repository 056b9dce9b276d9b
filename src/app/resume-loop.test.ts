import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LoopCommand } from '../core/index.ts';
import { configSchema, encodeConfig, type Fact, type LoopConfigInput } from '../protocol/index.ts';
import { findLoop } from './read-loops.ts';
import { recoverLoop } from './recover-loop.ts';
import { resumeLoop } from './resume-loop.ts';
import { sendToLoop } from './send-command.ts';
import { openStore } from './stores.ts';
import { trustProject } from './trust/consent.ts';

const loopId = 'ralph-fix-a1b2c3d4';

/** A loop on disk that no process runs. */
function leaveLoop(input: LoopConfigInput, ...more: readonly Fact[]) {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-resume-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  const place = { workingDirectory, root: path.join(workingDirectory, '.ralph') };
  const folders = openStore(place);
  const uuid = 'a1b2c3d4-0000-4000-8000-000000000000';
  const config = encodeConfig(configSchema.parse(input));
  const origin = { loopId, uuid, task: 'x', agent: input.agent ?? 'claude', workingDirectory, startedBy: 'user' };
  {
    using open = folders.create(loopId);
    open.append([{ type: 'loop.started', data: { ...origin, config, configHash: 'hash', checks: [] } }, ...more]);
  }
  const context = { cwd: workingDirectory, env: { PATH: workingDirectory }, consent: trustProject };
  return { place, folders, context };
}

const wakeAt = '2026-11-01T17:00:00.000Z';
const parked: readonly Fact[] = [
  { type: 'wait.scheduled', data: { until: wakeAt, cause: 'limit', message: 'later' } },
  { type: 'loop.parked', data: { wakeAt, elapsedMs: 0 } },
];
const byCommand: LoopConfigInput = { agent: 'command', agentCommand: '/bin/true' };

test('a parked loop continues without recovery; one that lost its owner is recovered', async () => {
  const left = leaveLoop(byCommand, ...parked);
  {
    await using driven = await resumeLoop(loopId, left.place, { context: left.context, changes: {} });
    expect(driven.opening).toEqual([]);
  }
  const lost = leaveLoop(byCommand);
  await using driven = await resumeLoop(loopId, lost.place, { context: lost.context, changes: {} });
  expect(driven.opening.map(({ type }) => type)).toEqual(['loop.recovered']);
});

test('a parked loop answers commands, stays parked, and is due at once after a retry', async () => {
  const { place, context } = leaveLoop(byCommand, ...parked);
  const send = async (command: LoopCommand) =>
    await sendToLoop(findLoop(place, loopId), command, { place, context, patienceMs: 1_000 });
  await send({ id: 'g', command: 'guide', text: 'look at the log' });
  expect(findLoop(place, loopId)).toMatchObject({ shownStatus: 'running', wakeAt });
  await send({ id: 'r', command: 'retry' });
  const { shownStatus, wakeAt: due = '' } = findLoop(place, loopId);
  expect(shownStatus).toBe('running');
  expect(Date.parse(due)).toBeLessThanOrEqual(Date.now());
  await send({ id: 'p', command: 'pause' });
  expect(findLoop(place, loopId)).toMatchObject({ shownStatus: 'paused', loop: { outcome: { reason: 'user_pause' } } });
});

test('a parked loop cannot be marked as crashed', async () => {
  const { place } = leaveLoop(byCommand, ...parked);
  const recovering = recoverLoop(place, loopId, { dryRun: false, markCrashed: true });
  await expect(recovering).rejects.toMatchObject({ failure: { code: 'COMMAND_REFUSED' } });
  expect(findLoop(place, loopId)).toMatchObject({ shownStatus: 'running', wakeAt });
});

test('a resume that is refused writes nothing: no segment, no epoch, no owner', async () => {
  const { place, folders, context } = leaveLoop({ agent: 'claude' });
  const before = [folders.mark(loopId), folders.read(loopId)];
  await expect(resumeLoop(loopId, place, { context, changes: {} })).rejects.toMatchObject({
    failure: { code: 'AGENT_NOT_FOUND' },
  });
  expect([folders.mark(loopId), folders.read(loopId)]).toEqual(before);
});
