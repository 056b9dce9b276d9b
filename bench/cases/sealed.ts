import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readCandidate } from '../../src/gate/candidate/candidate.ts';
import { createGate } from '../../src/gate/index.ts';
import { configSchema } from '../../src/protocol/index.ts';
import type { BenchCase } from '../case.ts';

const workFiles = 5_000;
const installedFiles = 30_000;

/** The cost of a sealed gate besides the checks, from its second run on. */
export const cases: readonly BenchCase[] = [
  {
    name: `a sealed gate around ${workFiles.toLocaleString('en')} files and ${installedFiles.toLocaleString('en')} in node_modules`,
    against: 'cp -al of the same folders, and reading the work once',
    unit: 'ms',
    budget: { times: 1.5 },
    runs: 7,
    floor: async () => {
      const { folder } = await project();
      const copy = path.join(scratch, 'copy');
      rmSync(copy, { recursive: true, force: true });
      return timed(() => {
        execFileSync('cp', ['-al', folder, copy]);
        readCandidate(folder, { exclude: [] });
      });
    },
    subject: async () => {
      const { gate } = await project();
      const startedAt = performance.now();
      const run = await gate.run({ checks: ['true'], guards: [], purpose: 'gate', isRepeat: false }, idle);
      if (run?.verdict !== 'passed') throw new Error(`the gate says ${run?.verdict}: ${run?.checks[0]?.output}`);
      return performance.now() - startedAt;
    },
  },
];

const idle = { signal: new AbortController().signal, kill: new AbortController().signal };
const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-sealed-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

let made: ReturnType<typeof makeProject> | undefined;
const project = () => (made ??= makeProject());

async function makeProject() {
  const folder = path.join(scratch, 'project');
  fill(path.join(folder, 'src'), workFiles, 50);
  fill(path.join(folder, 'node_modules'), installedFiles, 10);
  writeFileSync(path.join(folder, '.gitignore'), 'node_modules\n');
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('git', ['add', '.'], { cwd: folder });
  const gate = createGate({
    config: configSchema.parse({ verifyIn: 'sealed' }),
    workingDirectory: folder,
    env: { PATH: '/usr/bin:/bin', HOME: scratch },
    uuid: randomUUID(),
    loopId: 'ralph-bench-00000001',
    gates: path.join(scratch, 'gates'),
  });
  const captured = await gate.prepare(['true']);
  if (typeof captured === 'string') throw new Error(captured);
  const { files, bytes, durationMs } = captured;
  process.stderr.write(`  snapshot: ${files} files, ${(bytes / 1e6).toFixed(0)} MB in ${durationMs} ms\n`);
  return { folder, gate };
}

function fill(folder: string, count: number, inFolder: number): void {
  for (let number = 0; number < count; number += 1) {
    const place = path.join(folder, `package-${Math.floor(number / inFolder)}`);
    if (number % inFolder === 0) mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, `file-${number}.js`), `export const value = ${number};\n`.repeat(100));
  }
}

function timed(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
