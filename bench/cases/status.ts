import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BenchCase } from '../case.ts';
import { launcher, timeNode } from '../time-node.ts';

const loops = 100;

const theLook = ['status', 'ralph-bench-00000064', '--json'];
/** The minimum work for a list of loops. */
const readAll = `const fs = process.getBuiltinModule('node:fs');
  for (const id of fs.readdirSync('.ralph/loops')) {
    JSON.parse(fs.readFileSync('.ralph/loops/' + id + '/state.json', 'utf8'));
    fs.readdirSync('.ralph/loops/' + id + '/journal');
  }`;

/** The time to show loops, beyond what Node itself needs. */
export const cases: readonly BenchCase[] = [
  {
    name: 'ralphd status ID --json, 100 loops',
    headline: '`ralphd status --json` with 100 loops',
    against: 'node -e 0',
    unit: 'ms',
    budget: { plus: 30 },
    runs: 40,
    floor: () => timeNode(['-e', '0'], projectFolder()),
    subject: () => timeNode([launcher, ...theLook], projectFolder()),
  },
  {
    name: 'ralphd ls --json, 100 loops, in all',
    against: 'node -e 0',
    unit: 'ms',
    budget: { plus: 45 },
    runs: 40,
    floor: () => timeNode(['-e', '0'], projectFolder()),
    subject: () => timeNode([launcher, 'ls', '--json'], projectFolder()),
  },
  {
    name: 'ralphd ls --json, 100 loops',
    against: 'Node reading their snapshots and listing their journals',
    unit: 'ms',
    budget: { times: 2 },
    runs: 40,
    floor: () => timeNode(['-e', readAll], projectFolder()),
    subject: () => timeNode([launcher, 'ls', '--json'], projectFolder()),
  },
];

let project: string | undefined;

/** A project with settings of its own and a hundred loops that have ended. */
function projectFolder(): string {
  if (project !== undefined) return project;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-'));
  writeFileSync(path.join(folder, 'ralphd.yml'), 'maxIterations: 20\niteration:\n  timeout: 1h\n');
  for (let number = 1; number <= loops; number += 1) {
    const id = `ralph-bench-${number.toString(16).padStart(8, '0')}`;
    const words = [
      'run',
      'bench',
      '--loop-id',
      id,
      '--agent-command',
      'echo x >> work',
      '--verify',
      'true',
      '--no-promise',
      '--trust-project',
    ];
    execFileSync(process.execPath, [launcher, ...words], { cwd: folder, stdio: 'ignore' });
  }
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  project = folder;
  return folder;
}
