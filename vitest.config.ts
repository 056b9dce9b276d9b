import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/house/fixtures/**'],
    maxWorkers: '100%',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
