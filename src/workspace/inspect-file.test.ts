import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inspectFile } from './inspect-file.ts';

function createTree(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'ralphd inspect '));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const tree = path.join(home, 'tree');
  mkdirSync(tree);
  writeFileSync(path.join(home, 'secret'), 'outside');
  return tree;
}

test('B038: a plain file is read whole, with its modification time', () => {
  const tree = createTree();
  writeFileSync(path.join(tree, 'a.txt'), 'hello');
  utimesSync(path.join(tree, 'a.txt'), 5, 7);
  expect(inspectFile(tree, 'a.txt', 100)).toEqual({
    kind: 'file',
    modifiedMs: 7_000,
    stamp: expect.any(String),
    parts: [Buffer.from('hello')],
    isWhole: true,
  });
});

test('B038: only the beginning and the end of a huge file are read', () => {
  const tree = createTree();
  const huge = path.join(tree, 'huge');
  writeFileSync(huge, 'start');
  truncateSync(huge, 8 * 1024 ** 4);
  const file = inspectFile(tree, 'huge', 1_000);
  if (file.kind !== 'file') throw new Error(file.kind);
  expect(file.isWhole).toBe(false);
  expect(file.parts.map((part) => part.length)).toEqual([500, 500]);
  expect(file.parts[0]?.toString().startsWith('start')).toBe(true);
});

test('B038: a path that does not exist is missing, and a folder or a pipe is not a plain file', () => {
  const tree = createTree();
  mkdirSync(path.join(tree, 'folder'));
  writeFileSync(path.join(tree, 'file'), '');
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: tree });
  expect(inspectFile(tree, 'gone', 9)).toEqual({ kind: 'missing' });
  expect(inspectFile(tree, 'file/inside', 9)).toEqual({ kind: 'missing' });
  expect(inspectFile(path.join(tree, 'gone'), 'x', 9)).toEqual({ kind: 'missing' });
  expect(inspectFile(tree, 'folder', 9)).toEqual({ kind: 'other' });
  expect(inspectFile(tree, '.', 9)).toEqual({ kind: 'other' });
  expect(inspectFile(tree, 'pipe', 9)).toEqual({ kind: 'other' });
});

test('B038: a link counts as its target, unless the target is outside the work tree', () => {
  const tree = createTree();
  writeFileSync(path.join(tree, 'real'), 'x');
  const out = { kind: 'unknown', reason: 'it leads out of the working directory' };
  for (const [name, target] of [
    ['inside', 'real'],
    ['outside', '../secret'],
    ['up', '..'],
    ['loop', 'loop'],
    ['nowhere', 'gone'],
  ] as const)
    symlinkSync(target, path.join(tree, name));
  expect(inspectFile(tree, 'inside', 9)).toMatchObject({ kind: 'file', parts: [Buffer.from('x')] });
  expect(inspectFile(tree, 'outside', 9)).toEqual(out);
  expect(inspectFile(tree, 'up/secret', 9)).toEqual(out);
  expect(inspectFile(tree, 'nowhere', 9)).toEqual({ kind: 'missing' });
  expect(inspectFile(tree, 'loop', 9)).toEqual({ kind: 'unknown', reason: 'it cannot be read (ELOOP)' });
});

test.skipIf(process.getuid?.() === 0)('a file without read permission is unknown, not missing', () => {
  const tree = createTree();
  writeFileSync(path.join(tree, 'closed'), 'x');
  chmodSync(path.join(tree, 'closed'), 0);
  expect(inspectFile(tree, 'closed', 9)).toEqual({ kind: 'unknown', reason: 'it cannot be read (EACCES)' });
});
