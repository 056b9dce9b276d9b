import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { BenchCase } from '../case.ts';

const launcher = path.resolve(import.meta.dirname, '../../bin/ralphd.mjs');

/** How long the command line takes to answer, beyond what Node itself needs. */
export const cases: readonly BenchCase[] = [
  startUp('ralphd --version', ['--version'], 20),
  startUp('ralphd --help', ['--help'], 20),
];

function startUp(name: string, words: readonly string[], plus: number): BenchCase {
  return {
    name,
    against: 'node -e 0',
    unit: 'ms',
    budget: { plus },
    runs: 40,
    floor: () => timeNode(['-e', '0']),
    subject: () => timeNode([launcher, ...words]),
  };
}

async function timeNode(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  const ms = performance.now() - startedAt;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`);
  return ms;
}
