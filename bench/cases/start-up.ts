import type { BenchCase } from '../case.ts';
import { launcher, timeNode } from '../time-node.ts';

/** The response time of the command line, beyond what Node itself needs. */
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
