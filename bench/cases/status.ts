import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { launcher, timeNode } from '../time-node.ts';

const loops = 100;

/** How long it takes to look at loops, beyond what Node itself needs. */
export const cases: readonly BenchCase[] = [
  look('ralphd status ID --json, 100 loops', ['status', 'ralph-bench-00000064', '--json']),
  look('ralphd ls --json, 100 loops', ['ls', '--json']),
];

function look(name: string, words: readonly string[]): BenchCase {
  return {
    name,
    against: 'node -e 0',
    unit: 'ms',
    budget: { plus: 30 },
    runs: 40,
    floor: () => timeNode(['-e', '0'], projectFolder()),
    subject: () => timeNode([launcher, ...words], projectFolder()),
  };
}

let project: string | undefined;

/** A project with a hundred loops that have ended. */
function projectFolder(): string {
  if (project !== undefined) return project;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-'));
  for (let number = 1; number <= loops; number += 1) {
    const id = `ralph-bench-${number.toString(16).padStart(8, '0')}`;
    const words = ['run', 'bench', '--loop-id', id, '--agent-command', 'true', '--verify', 'true', '--no-promise'];
    execFileSync(process.execPath, [launcher, ...words], { cwd: folder, stdio: 'ignore' });
  }
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  project = folder;
  return folder;
}
