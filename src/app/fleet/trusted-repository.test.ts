import { expect, test } from 'vitest';
import { trustsRepository } from './trusted-repository.ts';

const team = 'https://git.example.org/team';

test.for([
  [['all'], 'https://anywhere.example/x', true],
  [[`${team}/tool.git`], `${team}/tool.git`, true],
  [[team], `${team}/tool.git`, true],
  [[`${team}/`], `${team}/tool.git`, true],
  [['git@git.example.org:team'], 'git@git.example.org:team/tool', true],
  [['git@git.example.org'], 'git@git.example.org:team/tool', true],
  [[team], `${team}-of-another/tool.git`, false],
  [['https://git.example.org'], 'https://git.example.org.evil.example/tool', false],
  [[`${team}/`], `${team}/../another/tool.git`, false],
  [[''], `${team}/tool.git`, false],
  [[], `${team}/tool.git`, false],
] as const)('a worker that trusts %j is asked for %s: %s', ([trusted, repository, is]) => {
  expect(trustsRepository(trusted, repository)).toBe(is);
});
