import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { endByMarker } from '../../process/index.ts';

/** The context of the programs beside an agent in the third iteration, at the second attempt. */
export const attemptContext = {
  loopId: 'ralph-x-a1b2c3d4',
  iteration: 3,
  attempt: 2,
  maxIterations: 9,
  mode: 'unattended',
  workingDirectory: '/project',
  agent: 'command',
} as const;

/** A folder with a space in its name for that attempt; whatever runs there ends with the test. */
export function attemptFolder() {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd attempt '));
  const uuid = path.basename(workingDirectory).replaceAll(' ', '-');
  const marker = `${uuid}/3/2`;
  onTestFinished(async () => {
    await endByMarker(marker);
    rmSync(workingDirectory, { recursive: true, force: true });
  });
  const file = (name: string) => path.join(workingDirectory, name);
  return {
    place: { workingDirectory, uuid, env: { PATH: '/usr/bin:/bin', GREETING: 'hello' } },
    idle: { signal: new AbortController().signal, kill: new AbortController().signal },
    marker,
    file,
    write: (name: string, text: string) => writeFileSync(file(name), text),
    read: (name: string) => readFileSync(file(name), 'utf8'),
    has: (name: string) => existsSync(file(name)),
  };
}
