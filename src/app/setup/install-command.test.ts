import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRoot } from '../agent-programs.ts';
import { installCommand } from './install-command.ts';

function folderWith(program: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-managers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, program), '#!/bin/sh\n');
  chmodSync(path.join(folder, program), 0o755);
  return folder;
}

test.each([
  ['apt-get', 'apt-get install git'],
  ['dnf', 'dnf install git'],
  ['pacman', 'pacman -S git'],
  ['apk', 'apk add git'],
])('a package is installed with %s where that is the manager of packages', (program, command) => {
  const asUser = isRoot() ? command : `sudo ${command}`;
  expect(installCommand('git', { PATH: folderWith(program) })).toBe(asUser);
});

test('brew needs no other user, and without a manager of packages there is no command', () => {
  expect(installCommand('git', { PATH: folderWith('brew') })).toBe('brew install git');
  expect(installCommand('git', { PATH: folderWith('other') })).toBeUndefined();
});
