import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchCase } from '../case.ts';

const program = path.resolve(import.meta.dirname, '../programs/read-reports.ts');
const kinds = ['cargo', 'jest', 'tap', 'junit', 'noise', 'one line'];
const few = 10;
const many = 100;

/** What a test run costs that prints without end: each MB the same time, and all of them the same memory. */
export const cases: readonly BenchCase[] = kinds.flatMap((kind): readonly BenchCase[] => [
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

/** In a process of its own, with little room for what is already forgotten: its memory is what the reader holds. */
async function read(kind: string, megabytes: number): Promise<{ readonly msPerMb: number; readonly peakMb: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-semi-space-size=1',
    program,
    kind,
    String(megabytes),
  ]);
  const [msPerMb = Number.NaN, peakMb = Number.NaN] = stdout.trim().split(' ').map(Number);
  return { msPerMb, peakMb };
}
