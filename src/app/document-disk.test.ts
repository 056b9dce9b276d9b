import { expect, test } from 'vitest';
import type { FilePort } from '../files/index.ts';
import { systemError, watchFiles } from '../files/testing/faulty-files.ts';
import { createMemoryFiles, type MemoryFiles } from '../files/testing/memory-files.ts';
import { createKeyText } from '../vault/index.ts';
import { type DocumentPlace, encryptDocument, encryptedDisk, plainDisk } from './document-disk.ts';
import { openDocumentBackups, openDocumentFile } from './document-file.ts';

const env = { RALPHD_KEY: createKeyText() };
const [statePath, backupDir] = ['/project/.ralph/state.json', '/project/kept'];
const text = '{"plan": "the plan"}';
const at = '2026-11-18T08:00:00.000Z';

function placeOn(files: FilePort): DocumentPlace {
  return { statePath, backupDir, files, keys: { env, cwd: '/project' } };
}

/** A document and a backup in clear text. */
function written(): MemoryFiles {
  const disk = createMemoryFiles();
  openDocumentFile(statePath, disk).write(text);
  openDocumentBackups(backupDir, disk).add(text, { now: new Date(at), compress: false, maxBackups: 3 });
  return disk;
}

/** What the document and its backup say to somebody who has the key. */
function readOn(disk: MemoryFiles): readonly (string | undefined)[] {
  const { files } = encryptedDisk(placeOn(disk), 'one') ?? { ...plainDisk, files: disk };
  const backups = openDocumentBackups(backupDir, files);
  return [openDocumentFile(statePath, files).read(), ...backups.list().map((file) => backups.read(file))];
}

function clearText(disk: MemoryFiles): readonly string[] {
  const files = [statePath, ...openDocumentBackups(backupDir, disk).list()];
  return files.filter((file) => openDocumentFile(file, disk).read()?.includes('plan') === true);
}

test('A115 A120: whichever call fails or is the last before a power cut while a document is encrypted, nothing is lost', () => {
  let calls = 0;
  const counting = watchFiles(written(), () => (calls += 1));
  encryptDocument(placeOn(counting), 'one', at);
  for (let last = 1; last <= calls; last += 1) {
    const disk = written();
    const failing = watchFiles(disk, ({ index }) => {
      if (index >= last) throw systemError('EIO');
    });
    expect(() => encryptDocument(placeOn(failing), 'one', at), `call ${last}`).toThrow(/./);
    for (const choose of [() => 0, (most: number) => most]) {
      const after = disk.afterPowerCut(choose);
      expect(readOn(after), `call ${last}`).toEqual([text, text]);
      // Whoever opens it next finishes what was begun.
      if (encryptedDisk(placeOn(after), 'one') !== undefined) expect(clearText(after), `call ${last}`).toEqual([]);
    }
  }
});

test('A115 A120: an encrypted, compressed document is the old or the new one after any failing call', () => {
  const encrypted = () => {
    const disk = written();
    encryptDocument(placeOn(disk), 'one', at);
    return disk;
  };
  const write = (files: FilePort) => {
    const disk = encryptedDisk(placeOn(files), 'one') ?? plainDisk;
    openDocumentFile(statePath, disk.files).write('{"plan": "new"}', { compress: true });
  };
  let calls = 0;
  write(watchFiles(encrypted(), () => (calls += 1)));
  for (let last = 1; last <= calls; last += 1) {
    const disk = encrypted();
    const failing = watchFiles(disk, ({ index }) => {
      if (index >= last) throw systemError('EIO');
    });
    expect(() => write(failing), `call ${last}`).toThrow(/./);
    for (const choose of [() => 0, (most: number) => most]) {
      const [state] = readOn(disk.afterPowerCut(choose));
      expect([text, '{"plan": "new"}'], `call ${last}`).toContain(state);
    }
  }
});
