import { expect, test } from 'vitest';
import gists from '../../tools/generate/requirements.json' with { type: 'json' };
import { bugs } from './bugs/all.ts';
import { createHunter, type Finding, whyUnfit } from './hunt.ts';
import { pending } from './pending.ts';
import type { PlantedBug } from './planted-bug.ts';

const harmless: PlantedBug = {
  requirement: 'A095',
  bug: 'a change that changes nothing',
  file: 'core/loop/history.ts',
  find: 'let streak = 0;',
  replace: 'let streak = 0 + 0;',
  test: 'src/core/loop/history.test.ts',
};

async function hunt(chosen: readonly PlantedBug[]): Promise<readonly string[]> {
  const findings: Finding[] = [];
  await using hunter = await createHunter();
  await hunter.hunt(chosen, (finding) => findings.push(finding));
  return findings.map(({ requirement, result }) => `${requirement} ${result}`);
}

test('every requirement has a planted bug, or waits for something that is named', () => {
  const planted = bugs.map(({ requirement }) => requirement);
  const waiting = pending.map(({ requirement }) => requirement);
  expect([...new Set([...planted, ...waiting])].toSorted()).toEqual(Object.keys(gists));
  expect(waiting.filter((each) => planted.includes(each))).toEqual([]);
});

test('every bug can be planted, and the test file that is to notice it names its requirement', () => {
  expect(bugs.flatMap((bug) => whyUnfit(bug) ?? [])).toEqual([]);
});

test('a bug whose text is gone, or whose requirement no test names, is not passed over', () => {
  expect(whyUnfit({ ...harmless, find: 'no such text' })).toContain('its text occurs 0 times in core/loop/history.ts');
  expect(whyUnfit({ ...harmless, requirement: 'A001' })).toBe('no test in src/core/loop/history.test.ts names A001');
});

test('a bug that its tests notice is caught; one that changes nothing survives; one that cannot be loaded is neither', async () => {
  const inHistory = bugs.filter(({ test: file }) => file === harmless.test).slice(0, 3);
  const broken = { ...harmless, replace: 'let streak = ;' };
  expect(await hunt([...inHistory, harmless, broken])).toEqual([
    ...inHistory.map(({ requirement }) => `${requirement} caught`),
    'A095 survived',
    'A095 unfit',
  ]);
});
