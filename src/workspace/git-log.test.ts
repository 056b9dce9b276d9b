import { expect, test } from 'vitest';
import { recentCommits } from './git-log.ts';
import { emptyFolder, env } from './testing/tree.ts';

test('B022: the latest commits are listed newest first, up to the requested count, each on one short line', async () => {
  const tree = emptyFolder();
  await tree.sh('git init -q && git config log.showSignature true && git config core.pager false');
  for (const subject of ['one', 'two', 'three', 'x'.repeat(500)]) {
    await tree.sh(`git commit -q --allow-empty -m "${subject}" -m "the body"`);
  }
  const commits = await recentCommits(tree.folder, { count: 3, env });
  expect(commits.map((line) => line.replace(/^[0-9a-f]+ /, ''))).toEqual([
    expect.stringMatching(/^x+$/),
    'three',
    'two',
  ]);
  expect(Math.max(...commits.map((line) => line.length))).toBe(200);
});

test('B022: a folder without a repository or without a commit has an empty list of commits', async () => {
  const tree = emptyFolder();
  expect(await recentCommits(tree.folder, { count: 5, env })).toEqual([]);
  await tree.sh('git init -q');
  expect(await recentCommits(tree.folder, { count: 5, env })).toEqual([]);
});
