import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createStagingFolder, nodeFiles, readChunks } from '../files/index.ts';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { type Keys, noKeys, parseIdentities, type Sealing } from './age.ts';
import { readArchive, writeArchive } from './archive.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';
import { createLoopFolder, loopId } from './testing/loop-folder.ts';

const hasAge = existsSync('/usr/bin/age');
const maxBytes = 1_000_000;

function loopFolder(): string {
  const loop = createLoopFolder();
  loop.iterate();
  loop.put('diffs/ab/cdef', 'object');
  loop.put('backups/state_1.json', 'copy');
  loop.put('state.json.tmp', 'temporary');
  loop.put('.hidden', 'hidden');
  symlinkSync('/etc/passwd', path.join(loop.folder, 'link'));
  return loop.folder;
}

async function archiveOf(folder: string, sealing?: Sealing): Promise<string> {
  const file = path.join(temporaryFolder(), 'loop.tar');
  const chunks: Uint8Array[] = [];
  for await (const chunk of await writeArchive({ files: nodeFiles, loopId, folder, nowMs: 0, sealing }))
    chunks.push(chunk);
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

async function unpack(file: string, keys: Keys = noKeys) {
  const folder = temporaryFolder();
  using staging = createStagingFolder(folder);
  const note = await readArchive(readChunks(file), { keys, staging, maxBytes });
  staging.moveTo(path.join(folder, 'there'));
  return { note, folder: path.join(folder, 'there') };
}

function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
}

test('an archive contains the files of a loop, but neither its owner nor links nor copies of them', async () => {
  const { note, folder } = await unpack(await archiveOf(loopFolder()));
  expect(note).toEqual({ loopId, createdAt: '1970-01-01T00:00:00.000Z' });
  expect(Object.keys(contentOf(folder))).toEqual([
    'checkpoints/iteration-001.json.gz',
    'diffs/ab/cdef',
    'iterations/001/attempt-1/prompt',
    'iterations/001/attempt-1/stderr',
    'iterations/001/attempt-1/stdout',
    'journal/0001-0001.jsonl',
    'state.json',
  ]);
});

test.skipIf(!hasAge)("what is archived for a key is opened by Debian's age and tar, and by nobody else", async () => {
  const folder = temporaryFolder();
  const identity = path.join(folder, 'key.txt');
  execFileSync('age-keygen', ['-o', identity], { stdio: 'ignore' });
  const recipient = execFileSync('age-keygen', ['-y', identity]).toString().trim();
  const original = loopFolder();
  const archive = await archiveOf(original, { recipients: [recipient] });
  expect(readFileSync(archive, 'latin1')).not.toContain('prompt of 1');
  execFileSync('age', ['-d', '-i', identity, '-o', path.join(folder, 'plain.tar'), archive]);
  execFileSync('tar', ['xf', 'plain.tar'], { cwd: folder });
  const journal = path.join('journal', '0001-0001.jsonl');
  expect(readFileSync(path.join(folder, loopId, journal))).toEqual(readFileSync(path.join(original, journal)));

  const keys = { identities: parseIdentities(readFileSync(identity, 'utf8'), identity) };
  const { folder: unpacked } = await unpack(archive, keys);
  expect(readFileSync(path.join(unpacked, journal))).toEqual(readFileSync(path.join(original, journal)));
  await expect(unpack(archive)).rejects.toMatchObject({ failure: { code: 'BACKUP_SEALED' } });
  const { generateX25519Identity } = await import('age-encryption');
  const other = { identities: [await generateX25519Identity()] };
  await expect(unpack(archive, other)).rejects.toMatchObject({ failure: { code: 'BACKUP_UNOPENED' } });
});

test.skipIf(!hasAge)(
  "an archive that Debian's age encrypted is opened, and one that was cut off or changed is not",
  async () => {
    const folder = temporaryFolder();
    const identity = path.join(folder, 'key.txt');
    execFileSync('age-keygen', ['-o', identity], { stdio: 'ignore' });
    const recipient = execFileSync('age-keygen', ['-y', identity]).toString().trim();
    const sealed = path.join(folder, 'sealed.age');
    execFileSync('age', ['-r', recipient, '-o', sealed, await archiveOf(loopFolder())]);
    const keys = { identities: parseIdentities(readFileSync(identity, 'utf8'), identity) };
    expect((await unpack(sealed, keys)).note.loopId).toBe(loopId);
    const bytes = readFileSync(sealed);
    writeFileSync(sealed, bytes.subarray(0, -100));
    await expect(unpack(sealed, keys)).rejects.toMatchObject({ failure: { code: 'BACKUP_UNOPENED' } });
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 50) ^ 1, bytes.length - 50);
    writeFileSync(sealed, bytes);
    await expect(unpack(sealed, keys)).rejects.toMatchObject({ failure: { code: 'BACKUP_UNOPENED' } });
  },
);

test('an archive is encrypted with a passphrase', async () => {
  const passphrase = 'four words are enough';
  const archive = await archiveOf(loopFolder(), { passphrase, workFactor: 10 });
  expect((await unpack(archive, { identities: [], passphrase })).note.loopId).toBe(loopId);
  await expect(unpack(archive, { identities: [], passphrase: 'wrong' })).rejects.toMatchObject({
    failure: { code: 'BACKUP_UNOPENED' },
  });
});

test('a key that is none is refused', async () => {
  await expect(archiveOf(loopFolder(), { recipients: [`age1${'q'.repeat(58)}`] })).rejects.toMatchObject({
    failure: { code: 'RECIPIENT_UNUSABLE' },
  });
  expect(() => parseIdentities('age1not-a-secret-key', 'key.txt')).toThrow(/key.txt cannot be used/);
});

test('paths that lead out of the loop, into another one or to its lock are refused, and nothing is left', async () => {
  const names = ['../x', `${loopId}/../x`, '/etc/x', `${loopId}/lock`, `${loopId}/owner.json`, `${loopId}/.ssh/x`];
  const others = ['ralph-other-00000001/state.json', `${loopId}/a/b/c/d/e/f/g`, 'x', `${loopId}/`];
  for (const name of [...names, ...others]) {
    const file = path.join(temporaryFolder(), 'evil.tar');
    const first = [tarHeader({ name: `${loopId}/state.json`, size: 0 }, 0)];
    writeFileSync(
      file,
      Buffer.concat([...first, tarHeader({ name, size: 1 }, 0), Buffer.from('x'), tarPadding(1), tarEnd]),
    );
    const folder = temporaryFolder();
    const attempt = async () => {
      using staging = createStagingFolder(folder);
      await readArchive(readChunks(file), { keys: noKeys, staging, maxBytes });
    };
    await expect(attempt(), name).rejects.toMatchObject({ failure: { code: 'BACKUP_DAMAGED' } });
    expect(readdirSync(folder)).toEqual([]);
  }
});
