import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { excludeFromCommits } from './exclude.ts';

function repository() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-exclude-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: readonly string[]) => {
    const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
  };
  git('init', '-q');
  const state = (name: string) => {
    mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, name, 'lock'), '');
    return path.join(folder, name);
  };
  const exclude = path.join(folder, '.git/info/exclude');
  return { folder, git, state, exclude };
}

test.each(['.ralph', 'a [b] *?\\c/ü state'])(
  'A132: the state folder %j is in no commit, even without its .gitignore',
  (name) => {
    const { git, state } = repository();
    excludeFromCommits(state(name));
    git('add', '-A');
    expect(git('ls-files')).toBe('');
  },
);

test('a folder is listed once, after what the user has in the file', () => {
  const { state, exclude } = repository();
  writeFileSync(exclude, '*.log');
  excludeFromCommits(state('.ralph'));
  excludeFromCommits(state('.ralph'));
  expect(readFileSync(exclude, 'utf8')).toBe('*.log\n/.ralph/\n');
});

test('a linked work tree uses the file of its repository', () => {
  const { folder, git, exclude } = repository();
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', 'linked');
  excludeFromCommits(path.join(folder, 'linked/.ralph'));
  expect(readFileSync(exclude, 'utf8')).toMatch(/\n\/\.ralph\/\n$/);
});

test('a file that is a link is left alone, and so is a folder outside any repository', () => {
  const { folder, state, exclude } = repository();
  rmSync(exclude);
  const target = path.join(folder, 'elsewhere');
  writeFileSync(target, '');
  symlinkSync(target, exclude);
  excludeFromCommits(state('.ralph'));
  expect(readFileSync(target, 'utf8')).toBe('');
  rmSync(path.join(folder, '.git'), { recursive: true });
  expect(() => excludeFromCommits(state('.ralph'))).not.toThrow();
});
