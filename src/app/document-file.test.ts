import { expect, test } from 'vitest';
import { systemError, watchFiles } from '../files/testing/faulty-files.ts';
import { createMemoryFiles } from '../files/testing/memory-files.ts';
import { openDocumentBackups, openDocumentFile } from './document-file.ts';

const place = '/project/state.json';

function diskWith(text: string) {
  const disk = createMemoryFiles();
  openDocumentFile(place, disk).write(text);
  return disk;
}

test('A120 A130 A136: whichever call to the disk fails or is the last before a power cut, the document is the old or the new one', () => {
  let calls = 0;
  openDocumentFile(
    place,
    watchFiles(diskWith('old'), () => (calls += 1)),
  ).write('new');
  expect(calls).toBeGreaterThan(5);
  for (let last = 1; last <= calls; last += 1) {
    const disk = diskWith('old');
    const failing = watchFiles(disk, ({ index }) => {
      if (index >= last) throw systemError('EIO');
    });
    expect(() => openDocumentFile(place, failing).write('new')).toThrow(/cannot be (read|written)/);
    expect(['old', 'new']).toContain(openDocumentFile(place, disk).read());
    for (const choose of [() => 0, (most: number) => most]) {
      const after = disk.afterPowerCut(choose);
      expect(['old', 'new']).toContain(openDocumentFile(place, after).read());
    }
  }
});

test('A120: a document that was written survives a power cut', () => {
  const after = diskWith('new').afterPowerCut(() => 0);
  expect(openDocumentFile(place, after).read()).toBe('new');
});

test('A138: a backup survives a power cut, and a damaged compressed one is not read', () => {
  const disk = createMemoryFiles();
  const options = { now: new Date('2026-11-18T08:00:00Z'), compress: true, maxBackups: 3 };
  const made = openDocumentBackups('/project/backups', disk).add('text', options);
  const after = disk.afterPowerCut(() => 0);
  const backups = openDocumentBackups('/project/backups', after);
  expect(backups.list()).toEqual([made]);
  expect(backups.read(made)).toBe('text');
  after.overwrite(made, Buffer.from([0x1f, 0x8b, 0, 0]));
  expect(backups.read(made)).toBeUndefined();
});

test('A123: a number that an old backup left is not used again in the same second', () => {
  const backups = openDocumentBackups('/project/backups', createMemoryFiles());
  const options = { now: new Date('2026-11-18T08:00:00Z'), compress: false, maxBackups: 1 };
  const made = ['one', 'two', 'three'].map((text) => backups.add(text, options));
  expect(new Set(made).size).toBe(3);
  expect(backups.list().map((file) => backups.read(file))).toEqual(['three']);
  expect(made[2]).toMatch(/_3\.json$/);
});

test('A127: removing a document or clearing its backups twice is no error', () => {
  const disk = diskWith('old');
  const file = openDocumentFile(place, disk);
  file.remove();
  file.remove();
  expect(file.read()).toBeUndefined();
  openDocumentBackups('/project/none', disk).clear();
});
