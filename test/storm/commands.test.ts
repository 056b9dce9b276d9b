import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stormWithCommands } from './commands.ts';

test('A039, A063, A068: loops side by side answer commands from several processes, each once and in the right loop, and the registry is right at the end', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-commands-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const report = await stormWithCommands({ folder, loops: 2, commands: 14, senders: 3, seed: 20_261_118 });
  expect(report.violations).toEqual([]);
  expect(Object.values(report.calls).reduce((sum, count) => sum + count, 0)).toBe(14);
});
