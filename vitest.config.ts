import os from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/check/longest-first.ts';

/** Tests whose result other processes and the machine's load can affect; some start the built program and watch it from outside. */
const world = [
  'test/e2e/**/*.test.ts',
  'test/hostile/**/*.test.ts',
  'test/terminal/**/*.test.ts',
  'test/page/**/*.test.ts',
  'src/process/**/*.test.ts',
  'src/workspace/**/*.test.ts',
  'src/control/**/*.test.ts',
  'src/app/**/*.test.ts',
  'src/gate/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/attacks/**/*.test.ts',
  'test/honest/**/*.test.ts',
  'test/fleet/**/*.test.ts',
  'test/escapes/**/*.test.ts',
];

// Starting a program copies the page tables of the process that starts it, which takes the longer the larger it is, and
// these tests start thousands. So their processes collect garbage often and stay small.
const small = ['--max-semi-space-size=2', '--heap-growing-percent=20'];

const never = ['test/house/fixtures/**', 'test/agents/suites/**', '**/node_modules/**'];

// A machine that builds for others may stall at any point. What needed a second try there is named by the check.
const retry = process.env['CI'] ? 1 : 0;

export default defineConfig({
  test: {
    // Most tests wait for a disk or for another program half of the time.
    maxWorkers: 2 * os.availableParallelism(),
    // The built program is loaded as it is, once per process.
    server: { deps: { external: [/\/dist\/(cli|index)\.js$/] } },
    sequence: { sequencer: LongestFirst },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A poll ends as soon as its condition holds; how long that takes is the machine's business.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // One process for many files saves half of the time.
    isolate: false,
    // In the order in which they run: first what waits for other processes. Few, because each starts its own workers,
    // which load everything again.
    projects: [
      { extends: true, test: { name: 'world', include: world, exclude: never, retry, execArgv: small } },
      {
        extends: true,
        test: {
          name: 'rules',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...never, ...world],
        },
      },
    ],
  },
});
