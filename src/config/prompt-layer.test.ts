import { expect, test } from 'vitest';
import { configSchema, type LoopConfigInput, noMetadata } from '../protocol/index.ts';
import { fillFromPrompt, givenIn } from './prompt-layer.ts';

const metadata = { ...noMetadata, iteration: { contextThreshold: 60, runTests: false, stopOn: ['quota'] } };

function fill(input: LoopConfigInput) {
  return fillFromPrompt(configSchema.parse(input), metadata, givenIn(input));
}

test('B002: iteration keys in the front matter fill in settings that were not given', () => {
  const { contextRedlinePercent, autoTest, stopConditions } = fill({ stopConditions: { maxSameErrorStreak: 9 } });
  expect({ contextRedlinePercent, autoTest }).toEqual({ contextRedlinePercent: 60, autoTest: false });
  expect(stopConditions).toMatchObject({ stopOnPatterns: ['quota'], maxSameErrorStreak: 9, maxTestFailureStreak: 3 });
});

test('B002: a setting given elsewhere wins, even with its default value', () => {
  const given = { contextRedlinePercent: 85, autoTest: true, stopConditions: { stopOnPatterns: [] } };
  expect(fill(given)).toEqual(configSchema.parse(given));
});

test('B002: without such keys the configuration stays unchanged, and filling in does not modify its input', () => {
  const config = configSchema.parse({});
  expect(fillFromPrompt(config, noMetadata, () => false)).toEqual(config);
  fillFromPrompt(config, metadata, () => false);
  expect(config).toEqual(configSchema.parse({}));
});
