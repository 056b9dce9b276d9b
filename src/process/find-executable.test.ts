import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findExecutable, findUnusable } from './find-executable.ts';

function folderWithPrograms(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-find-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'bin'));
  mkdirSync(path.join(folder, 'first'));
  for (const name of ['bin/tool', 'bin/plain', 'here']) writeFileSync(path.join(folder, name), '');
  chmodSync(path.join(folder, 'bin/tool'), 0o755);
  chmodSync(path.join(folder, 'here'), 0o755);
  mkdirSync(path.join(folder, 'first/tool'));
  return folder;
}

test('a bare name is searched for along PATH, where only executable files count', () => {
  const cwd = folderWithPrograms();
  const PATH = `${cwd}/missing:${cwd}/first:${cwd}/bin`;
  expect(findExecutable('tool', { PATH, cwd })).toBe(path.join(cwd, 'bin/tool'));
  expect(findExecutable('plain', { PATH, cwd })).toBeUndefined();
  expect(findExecutable('here', { PATH, cwd })).toBeUndefined();
  expect(findExecutable('tool', { cwd })).toBeUndefined();
  expect(findExecutable('', { PATH, cwd })).toBeUndefined();
});

test('a name with a slash is resolved from the working directory, whatever PATH holds', () => {
  const cwd = folderWithPrograms();
  expect(findExecutable('./here', { PATH: '/bin', cwd })).toBe(path.join(cwd, 'here'));
  expect(findExecutable('bin/tool', { PATH: '', cwd })).toBe(path.join(cwd, 'bin/tool'));
  expect(findExecutable(path.join(cwd, 'here'), { cwd: '/' })).toBe(path.join(cwd, 'here'));
  expect(findExecutable('./gone', { PATH: '/bin', cwd })).toBeUndefined();
});

test('a file named like a program that cannot be executed is reported too', () => {
  const cwd = folderWithPrograms();
  const PATH = `${cwd}/missing:${cwd}/first:${cwd}/bin`;
  expect(findUnusable('plain', { PATH, cwd })).toEqual({ path: path.join(cwd, 'bin/plain'), kind: 'file' });
  expect(findUnusable('bin/plain', { PATH, cwd })).toEqual({ path: path.join(cwd, 'bin/plain'), kind: 'file' });
  expect(findUnusable('./bin', { PATH, cwd })).toEqual({ path: path.join(cwd, 'bin'), kind: 'folder' });
  expect(findUnusable('first', { PATH: cwd, cwd })).toBeUndefined();
  for (const name of ['gone', './gone', '', 'a\0b', 'x'.repeat(5000)]) {
    expect(findUnusable(name, { PATH, cwd })).toBeUndefined();
  }
});
