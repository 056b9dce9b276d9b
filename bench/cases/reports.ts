import { execFile } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchCase } from '../case.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-reports-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const program = path.resolve(import.meta.dirname, '../programs/read-reports.ts');
const kinds: Readonly<Record<string, (index: number) => string>> = {
  cargo: (index) => `${index === 0 ? 'running 9000000 tests\n' : ''}test part::tests::name_of_test_${index} ... ok\n`,
  jest: (index) => `PASS src/part/file-${index}.test.js\n  ● Console\n\n    console.log\n      value ${index}\n\n`,
  tap: (index) => `${index === 0 ? 'TAP version 14\n' : ''}ok ${index + 1} - name of a point ${index}\n`,
  junit: (index) =>
    `${index === 0 ? '<testsuites><testsuite>\n' : ''}<testcase name="name ${index}" time="0.01"><failure/></testcase>\n`,
  noise: (index) => `[INFO] part ${index} of the whole is built: done in ${index % 100} ms\n`,
  'one line': (index) => `word ${index} `,
};
const room = ['--max-semi-space-size=1', '--max-old-space-size=40'];
const few = 10;
const many = 100;

/** The cost of a test run with unlimited output: constant time per MB, and constant memory. */
export const cases: readonly BenchCase[] = Object.keys(kinds).flatMap((kind): readonly BenchCase[] => [
  {
    name: `a test run of ${many} MB (${kind}): time for each MB`,
    against: `one of ${few} MB`,
    unit: 'ms',
    budget: { times: 1.3 },
    runs: 2,
    warmUps: 0,
    floor: async () => (await read(kind, few)).msPerMb,
    subject: async () => (await read(kind, many)).msPerMb,
  },
  {
    name: `a test run of ${many} MB (${kind}): peak memory`,
    against: `one of ${few} MB`,
    unit: 'MB',
    budget: { times: 1.3 },
    runs: 1,
    warmUps: 0,
    floor: async () => (await read(kind, few)).peakMb,
    subject: async () => (await read(kind, many)).peakMb,
  },
]);

/**
 * In its own process with a small heap, so that its memory is what the reader holds. Without
 * a bound on the heap, a longer run accumulates more garbage before it is collected.
 */
async function read(kind: string, megabytes: number): Promise<{ readonly msPerMb: number; readonly peakMb: number }> {
  const file = makeFile(kind, megabytes);
  const { stdout } = await promisify(execFile)(process.execPath, [...room, program, file]);
  const [msPerMb = Number.NaN, peakMb = Number.NaN] = stdout.trim().split(' ').map(Number);
  rmSync(file);
  return { msPerMb, peakMb };
}

function makeFile(kind: string, megabytes: number): string {
  const file = path.join(scratch, 'output');
  const textOf = kinds[kind] ?? (() => '');
  const output = openSync(file, 'w');
  let index = 0;
  for (let left = megabytes * 1_000_000; left > 0; ) {
    let piece = '';
    while (piece.length < 1_000_000) piece += textOf(index++);
    writeSync(output, piece);
    left -= piece.length;
  }
  closeSync(output);
  return file;
}
