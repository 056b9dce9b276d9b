import { expect, test } from 'vitest';
import { describeSettings } from './describe.ts';
import { settingExamples } from './examples.ts';
import { plannedSettings } from './planned.ts';
import { configSchema } from './schema.ts';
import { listSettings } from './setting-list.ts';

const described = describeSettings();
const working = listSettings().filter(({ path }) => !plannedSettings.some((planned) => planned.path === path));

test.each(working.map(({ path }) => path))('%s has a meaning, a type and an example that is accepted', (path) => {
  const found = described.find((each) => each.path === path);
  expect(found).toMatchObject({ meaning: expect.stringMatching(/^[A-Z].*\.$/u), type: expect.stringMatching(/./u) });
  expect(found?.example).toBeDefined();
  const nested = path.split('.').reduceRight<unknown>((value, key) => ({ [key]: value }), found?.example);
  expect(configSchema.safeParse(nested).error?.issues ?? []).toEqual([]);
});

test('an example is of a setting that exists, and no planned setting is described', () => {
  const paths = working.map(({ path }) => path);
  expect(Object.keys(settingExamples).filter((path) => !paths.includes(path))).toEqual([]);
  const planned = plannedSettings.map(({ path }) => path);
  expect(described.filter(({ path }) => planned.includes(path))).toEqual([]);
});
