import { defineConfig } from 'vitest/config';

/** Tests whose result other processes and the machine's load can affect. */
const world = [
  'src/process/**/*.test.ts',
  'src/workspace/**/*.test.ts',
  'src/control/**/*.test.ts',
  'src/app/**/*.test.ts',
  'src/gate/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/hostile/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/attacks/**/*.test.ts',
  'test/honest/**/*.test.ts',
];

const never = ['test/house/fixtures/**', 'test/agents/suites/**', '**/node_modules/**'];

export default defineConfig({
  test: {
    maxWorkers: '100%',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A poll ends as soon as its condition holds; how long that takes is the machine's business.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    projects: [
      {
        extends: true,
        // No other process takes part in these: one worker for many files saves half of the time.
        test: { name: 'rules', include: ['src/**/*.test.ts'], exclude: world, isolate: false },
      },
      {
        extends: true,
        test: { name: 'long', include: ['test/**/*.test.ts'], exclude: [...never, ...world] },
      },
      {
        extends: true,
        // A machine that builds for others may stall at any point. What needed a second try there is named by the check.
        test: { name: 'world', include: world, exclude: never, retry: process.env['CI'] ? 1 : 0 },
      },
    ],
  },
});
