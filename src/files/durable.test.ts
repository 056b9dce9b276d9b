import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createDocument } from './document.ts';
import { createFileExclusively, placeFile, readWhole, settleFile, writeFileDurably } from './durable.ts';
import { makeFolders } from './folders.ts';
import { nodeFiles } from './node-files.ts';
import { systemError, watchFiles } from './testing/faulty-files.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const bytes = Buffer.from('new content');

test('A120: a durable write syncs the file before the rename and the folder after it', () => {
  const calls: string[] = [];
  const files = watchFiles(nodeFiles, ({ name }) => void calls.push(name));
  const file = path.join(temporaryFolder(), 'state.json');
  writeFileDurably(files, file, bytes);
  const order = calls.filter((name) => ['create', 'write', 'sync', 'rename', 'syncFolder'].includes(name));
  expect(order).toEqual(['create', 'write', 'sync', 'rename', 'syncFolder']);
  expect(readFileSync(file, 'utf8')).toBe('new content');
});

test('two durable writes never share a temporary file', () => {
  const made: unknown[] = [];
  const files = watchFiles(nodeFiles, ({ name, path: place }) => void (name === 'create' && made.push(place)));
  const file = path.join(temporaryFolder(), 'state.json');
  writeFileDurably(files, file, bytes);
  writeFileDurably(files, file, bytes);
  expect(new Set(made).size).toBe(2);
});

test('A121, A136: a durable write that fails reports where and why, keeps the old file and leaves no other', () => {
  for (const failing of ['create', 'write', 'sync', 'read', 'rename']) {
    const folder = temporaryFolder();
    const file = path.join(folder, 'state.json');
    writeFileSync(file, 'old content');
    const files = watchFiles(nodeFiles, ({ name }) => {
      if (name === failing) throw systemError('EIO');
    });
    expect(() => writeFileDurably(files, file, bytes)).toThrow(/state\.json.*cannot be (written|read): EIO/);
    expect(readdirSync(folder)).toEqual(['state.json']);
    expect(readFileSync(file, 'utf8')).toBe('old content');
  }
});

test('a write of which the system takes a few bytes at a time still arrives whole', () => {
  const file = path.join(temporaryFolder(), 'state.json');
  const files = { ...nodeFiles, write: (open: number, part: Uint8Array) => nodeFiles.write(open, part.subarray(0, 3)) };
  writeFileDurably(files, file, bytes);
  expect(readFileSync(file, 'utf8')).toBe('new content');
});

test('a file that must be new is made once and never replaced', () => {
  const file = path.join(temporaryFolder(), 'started');
  expect(createFileExclusively(nodeFiles, file, Buffer.from('first'))).toBe(true);
  expect(createFileExclusively(nodeFiles, file, Buffer.from('second'))).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('first');
});

test('a file above its limit is not read', () => {
  const file = path.join(temporaryFolder(), 'big');
  writeFileSync(file, 'x'.repeat(11));
  const read = () => readWhole(nodeFiles, file, { limit: 10 });
  expect(read).toThrow(/has 11 bytes, more than the limit of 10/);
  expect(read).toThrow(expect.objectContaining({ code: 'STATE_UNREADABLE' }));
});

test('symbolic links, folders and other users files are refused, and nothing is written through a link', () => {
  const folder = temporaryFolder();
  const outside = path.join(temporaryFolder(), 'precious');
  writeFileSync(outside, 'precious');
  const link = path.join(folder, 'state.json');
  symlinkSync(outside, link);
  expect(() => writeFileDurably(nodeFiles, link, bytes)).toThrow(/is a symbolic link/);
  expect(() => readWhole(nodeFiles, link, { limit: 100 })).toThrow(/is a symbolic link/);
  expect(createFileExclusively(nodeFiles, link, bytes)).toBe(false);
  expect(readFileSync(outside, 'utf8')).toBe('precious');

  mkdirSync(path.join(folder, 'taken'));
  expect(() => writeFileDurably(nodeFiles, path.join(folder, 'taken'), bytes)).toThrow(/is not a plain file/);
  const foreign = { ...nodeFiles, userId: 54321 };
  expect(() => readWhole(foreign, outside, { limit: 100 })).toThrow(/is owned by another user/);
});

test('folders are made only below their root, and the name of each is synced', () => {
  const root = temporaryFolder();
  const synced: unknown[] = [];
  const files = watchFiles(nodeFiles, ({ name, path: place }) => void (name === 'syncFolder' && synced.push(place)));
  makeFolders(files, root, path.join(root, 'a/b/c'));
  expect(synced).toEqual([root, path.join(root, 'a'), path.join(root, 'a/b')]);
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(['a', 'a/b', 'a/b/c']);
  expect(() => makeFolders(nodeFiles, root, path.join(root, '../elsewhere'))).toThrow(/is outside/);
});

test('a placed file is complete at once; only settling it waits for the disk', () => {
  const calls: string[] = [];
  const files = watchFiles(nodeFiles, ({ name }) => void calls.push(name));
  const folder = temporaryFolder();
  const file = path.join(folder, 'prompt');
  writeFileSync(file, 'old content');
  placeFile(files, file, bytes);
  expect(readFileSync(file, 'utf8')).toBe('new content');
  expect(readdirSync(folder)).toEqual(['prompt']);
  expect(calls.filter((name) => name.startsWith('sync'))).toEqual([]);
  settleFile(files, file);
  expect(calls.filter((name) => name.startsWith('sync'))).toEqual(['sync', 'syncFolder']);
});

test('a file that cannot be placed leaves the old one and no other', () => {
  for (const failing of ['create', 'write', 'rename']) {
    const folder = temporaryFolder();
    const file = path.join(folder, 'prompt');
    writeFileSync(file, 'old content');
    const files = watchFiles(nodeFiles, ({ name }) => {
      if (name === failing) throw systemError('EIO');
    });
    expect(() => placeFile(files, file, bytes)).toThrow(/prompt.*cannot be written: EIO/);
    expect(readdirSync(folder)).toEqual(['prompt']);
    expect(readFileSync(file, 'utf8')).toBe('old content');
  }
});

test('a document is made in any folder that the user can write to, and never over another file', () => {
  const folder = temporaryFolder();
  // As /tmp is: everybody may write there, and it belongs to somebody else.
  chmodSync(folder, 0o1777);
  const file = path.join(folder, 'proof.json');
  expect([createDocument(file, 'first'), createDocument(file, 'second')]).toEqual([true, false]);
  expect(readFileSync(file, 'utf8')).toBe('first');
});
