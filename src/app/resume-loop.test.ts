import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema, encodeConfig } from '../protocol/index.ts';
import { resumeLoop } from './resume-loop.ts';
import { openStore } from './stores.ts';

test('a resume that is refused writes nothing: no segment, no epoch, no owner', async () => {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-resume-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  const place = { workingDirectory, root: path.join(workingDirectory, '.ralph') };
  const loopId = 'ralph-fix-a1b2c3d4';
  const folders = openStore(place);
  const uuid = 'a1b2c3d4-0000-4000-8000-000000000000';
  const config = encodeConfig(configSchema.parse({ agent: 'claude' }));
  const origin = { loopId, uuid, task: 'x', agent: 'claude', workingDirectory, startedBy: 'user' };
  {
    using open = folders.create(loopId);
    open.append([{ type: 'loop.started', data: { ...origin, config, configHash: 'hash', checks: [] } }]);
  }
  const before = [folders.mark(loopId), folders.read(loopId)];

  const context = { cwd: workingDirectory, env: { PATH: workingDirectory } };
  await expect(resumeLoop(loopId, place, { context, changes: {} })).rejects.toMatchObject({
    failure: { code: 'AGENT_NOT_FOUND' },
  });
  expect([folders.mark(loopId), folders.read(loopId)]).toEqual(before);
});
