import { expect, test } from 'vitest';
import type { Guard } from '../../protocol/index.ts';
import { fileGuard } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { guardId, guardNames } from './guard-id.ts';

const jest = { kind: 'program', folder: '', name: 'jest', by: 'bin', effect: 'refuse' } as const;
const installed = { at: 'inside', file: 'node_modules/.bin/jest', digest: 'abc', version: '1.0.0' } as const;

test('guarded files are displayed by name; missing files and whole folders are not displayed', () => {
  const guards: Guard[] = [
    fileGuard('check.sh', 'a'),
    { ...jest, found: installed },
    { ...jest, name: 'npm', found: { at: 'outside' } },
    { kind: 'names', folder: '', names: ['pytest.py'], present: [], effect: 'refuse' },
    { kind: 'part', file: '.npmrc', part: 'scripts', digest: 'gone', effect: 'refuse' },
    { kind: 'programs', folder: 'node_modules/.bin', existed: true, programs: [], effect: 'refuse' },
    { ...fileGuard('jest.config.js', 'b'), effect: 'report' },
    { kind: 'names', folder: '', names: ['jest.config.*'], present: ['jest.config.js'], effect: 'report' },
  ];
  expect(guardNames(guards)).toEqual({
    guarded: ['check.sh', 'node_modules/.bin/jest'],
    watched: ['jest.config.js'],
  });
  expect(guards.map(guardId)).toEqual([
    'check.sh',
    '#bin.jest',
    '#bin.npm',
    '{pytest.py}',
    '.npmrc#scripts',
    'node_modules/.bin/*',
    'jest.config.js',
    '{jest.config.*}',
  ]);
});

test('a script that is guarded as a file and as a program is displayed once', () => {
  const found = { at: 'inside', file: '.venv/bin/pytest', digest: 'abc' } as const;
  const guards: Guard[] = [fileGuard('.venv/bin/pytest', 'a'), { ...jest, name: 'pytest', found }];
  expect(guardNames(guards).guarded).toEqual(['.venv/bin/pytest']);
});

test('files that the checks wrote before the first iteration are guarded as they wrote them', () => {
  const guards: Guard[] = [fileGuard('check.sh', 'a'), { ...jest, found: { at: 'none' } }];
  const made: Guard = { ...jest, found: installed };
  const story = startedStory({ guards, config: { baseline: true } });
  story.tell({ type: 'baseline.finished', data: { verdict: 'failed', checks: [], renewed: [made], elapsedMs: 0 } });
  expect(story.loop.gate.guards).toEqual([guards[0], made]);
});
