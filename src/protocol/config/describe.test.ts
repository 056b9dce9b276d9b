import { expect, test } from 'vitest';
import { describeSettings } from './describe.ts';
import { settingExamples } from './examples.ts';
import { configSchema } from './schema.ts';
import { listSettings } from './setting-list.ts';

const described = describeSettings();
const paths = listSettings().map(({ path }) => path);

test.each(paths)('%s has a meaning, a type and an example that is accepted', (path) => {
  const found = described.find((each) => each.path === path);
  expect(found).toMatchObject({ meaning: expect.stringMatching(/^[A-Z].*\.$/u), type: expect.stringMatching(/./u) });
  expect(found?.example).toBeDefined();
  const nested = path.split('.').reduceRight<unknown>((value, key) => ({ [key]: value }), found?.example);
  expect(configSchema.safeParse(nested).error?.issues ?? []).toEqual([]);
});

test('an example is of a setting that exists', () => {
  expect(Object.keys(settingExamples).filter((path) => !paths.includes(path))).toEqual([]);
});
