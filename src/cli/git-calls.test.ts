import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { countingGit } from '../workspace/testing/counting-git.ts';
import { createCommandLine } from './testing/command-line.ts';

const searchPath = '/usr/bin:/bin';

/** How often each subcommand of git runs in a new loop of a new repository. */
async function callsOf(agent: string, iterations: number): Promise<Readonly<Record<string, number>>> {
  const line = createCommandLine();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: line.folder });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '-qm', 'first');
  const counting = countingGit(searchPath);
  const check = ['--verify', './check.sh', '--delay', '0s', '--max-iterations', String(iterations)];
  await line.run(['run', 'x', '--agent', 'command', '--agent-command', agent, ...check], { PATH: counting.searchPath });
  const calls = Map.groupBy(counting.calls(), (word) => word);
  return Object.fromEntries([...calls].map(([word, all]) => [word, all.length]));
}

const start = { 'rev-parse': 2, 'ls-files': 3, config: 1, status: 1 };

test('a loop in a repository starts few processes: seven at its start, one or two for an iteration', async () => {
  expect(await callsOf('true', 3)).toEqual({ ...start, status: 4 });
  // The folders of the commit are read once.
  expect(await callsOf('echo $$ >> changed', 3)).toEqual({ ...start, status: 4, 'cat-file': 1, 'diff-tree': 3 });
});

test('a gate in the work tree adds two processes, one before the checks and one after them', async () => {
  const changes = { status: 2, 'cat-file': 1, 'diff-tree': 1 };
  expect(await callsOf('./agent.sh', 1)).toEqual({ ...start, ...changes, 'ls-files': start['ls-files'] + 2 });
});
