import { expect, test } from 'vitest';
import { configSchema, encodeConfig } from './schema.ts';

function problemOf(progress: object): string | undefined {
  const issue = configSchema.safeParse({ progress }).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

const minimal = { name: 'speed', pattern: 'speed: (\\d+)' };

test('B049, B050: progress is measured in all ways together by default', () => {
  expect(configSchema.parse({}).progress).toEqual({ strategy: 'combined', metrics: [] });
  const config = configSchema.parse({ progress: { strategy: 'metric_velocity', metrics: [minimal] } });
  expect(config.progress.metrics).toEqual([{ ...minimal, direction: 'up', weight: 0.2 }]);
  expect(configSchema.parse(encodeConfig(config))).toEqual(config);
});

test.each<[string, object, string]>([
  ['a strategy that does not exist', { strategy: 'guess' }, 'progress.strategy: one of combined, file_changes'],
  ['no pattern', { metrics: [{ name: 'x' }] }, 'progress.metrics.0.pattern: '],
  ['a weight of 0', { metrics: [{ ...minimal, weight: 0 }] }, 'progress.metrics.0.weight: a number from 0.01 to 1'],
  ['a weight above 1', { metrics: [{ ...minimal, weight: 2 }] }, 'a number from 0.01 to 1'],
  ['a direction that does not exist', { metrics: [{ ...minimal, direction: 'left' }] }, 'one of up, down'],
  ['a file outside', { metrics: [{ ...minimal, file: '../x' }] }, 'a path inside the working directory'],
  ['two metrics of one name', { metrics: [minimal, minimal] }, 'with unique names'],
  [
    'too many',
    { metrics: Array.from({ length: 21 }, (_, n) => ({ ...minimal, name: `m${n}` })) },
    'at most 20 metrics',
  ],
])('B049: progress with %s is refused', (_case, progress, problem) => {
  expect(problemOf(progress)).toContain(problem);
});
