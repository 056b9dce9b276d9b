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
import { lookInside } from './look-inside.ts';

function createTree(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'ralphd look '));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const tree = path.join(home, 'tree');
  mkdirSync(tree);
  writeFileSync(path.join(home, 'secret'), 'outside');
  return tree;
}

test('B038: a plain file is read whole, with the time it was changed', () => {
  const tree = createTree();
  writeFileSync(path.join(tree, 'a.txt'), 'hello');
  utimesSync(path.join(tree, 'a.txt'), 5, 7);
  expect(lookInside(tree, 'a.txt', 100)).toEqual({
    kind: 'file',
    modifiedMs: 7_000,
    stamp: expect.any(String),
    parts: [Buffer.from('hello')],
    isWhole: true,
  });
});

test('B038: of a huge file only the beginning and the end are read', () => {
  const tree = createTree();
  const huge = path.join(tree, 'huge');
  writeFileSync(huge, 'start');
  truncateSync(huge, 8 * 1024 ** 4);
  const seen = lookInside(tree, 'huge', 1_000);
  if (seen.kind !== 'file') throw new Error(seen.kind);
  expect(seen.isWhole).toBe(false);
  expect(seen.parts.map((part) => part.length)).toEqual([500, 500]);
  expect(seen.parts[0]?.toString().startsWith('start')).toBe(true);
});

test('B038: what is not there is missing, and a folder or a pipe is no plain file', () => {
  const tree = createTree();
  mkdirSync(path.join(tree, 'folder'));
  writeFileSync(path.join(tree, 'file'), '');
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: tree });
  expect(lookInside(tree, 'gone', 9)).toEqual({ kind: 'missing' });
  expect(lookInside(tree, 'file/inside', 9)).toEqual({ kind: 'missing' });
  expect(lookInside(path.join(tree, 'gone'), 'x', 9)).toEqual({ kind: 'missing' });
  expect(lookInside(tree, 'folder', 9)).toEqual({ kind: 'other' });
  expect(lookInside(tree, '.', 9)).toEqual({ kind: 'other' });
  expect(lookInside(tree, 'pipe', 9)).toEqual({ kind: 'other' });
});

test('B038: a link counts as what it leads to, unless it leads out of the work tree', () => {
  const tree = createTree();
  writeFileSync(path.join(tree, 'real'), 'x');
  const out = { kind: 'unknown', why: 'it leads out of the working directory' };
  for (const [name, target] of [
    ['inside', 'real'],
    ['outside', '../secret'],
    ['up', '..'],
    ['loop', 'loop'],
    ['nowhere', 'gone'],
  ] as const)
    symlinkSync(target, path.join(tree, name));
  expect(lookInside(tree, 'inside', 9)).toMatchObject({ kind: 'file', parts: [Buffer.from('x')] });
  expect(lookInside(tree, 'outside', 9)).toEqual(out);
  expect(lookInside(tree, 'up/secret', 9)).toEqual(out);
  expect(lookInside(tree, 'nowhere', 9)).toEqual({ kind: 'missing' });
  expect(lookInside(tree, 'loop', 9)).toEqual({ kind: 'unknown', why: 'it cannot be read (ELOOP)' });
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read is unknown, not missing', () => {
  const tree = createTree();
  writeFileSync(path.join(tree, 'closed'), 'x');
  chmodSync(path.join(tree, 'closed'), 0);
  expect(lookInside(tree, 'closed', 9)).toEqual({ kind: 'unknown', why: 'it cannot be read (EACCES)' });
});
