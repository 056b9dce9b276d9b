import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { endByMarker, findByMarker } from '../reap.ts';
import type { SuperviseOptions } from '../supervise.ts';
import { findTeam } from '../team.ts';

/** An attempt of its own for one test; when the test ends, no process of it may be left. */
export function createAttempt(command: SuperviseOptions['command'], more: Partial<SuperviseOptions> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd attempt '));
  const marker = randomUUID();
  const left = () => [...findByMarker(marker), ...findTeam(marker).map(({ pid }) => pid)];
  onTestFinished(async () => {
    try {
      await expect.poll(left).toEqual([]);
    } finally {
      await endByMarker(marker);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
  const options: SuperviseOptions = { command, cwd: folder, env: { PATH: '/usr/bin:/bin' }, marker, folder, ...more };
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  return { folder, marker, options, left, read, stdout: () => read('stdout') };
}

/** The command line of an agent that is part of the tests. */
export function fixture(name: string): string[] {
  return [path.join(import.meta.dirname, '../fixtures', `${name}.sh`)];
}
