import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { expect, test } from 'vitest';
import { startS3Server } from '../../src/backup/testing/s3-server.ts';
import { temporaryFolder } from '../../src/files/testing/temporary-folder.ts';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { onlyId, pathIn, pausedProject } from '../support/loop-files.ts';
import { createProject, endLine, loopIds, type Project } from '../support/project.ts';
import { mountDisk } from '../support/small-disk.ts';

const s3Env = { AWS_ACCESS_KEY_ID: 'AKIDTESTTESTTEST', AWS_SECRET_ACCESS_KEY: 'sEcReT/key+with/slashes' };

/** A project whose loop is done in one iteration. */
function createWork(backup: string): Project {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', `backup:\n${backup}`);
  return project;
}

async function codeOf(project: Project, args: readonly string[], env = {}): Promise<unknown> {
  return endLine(await project.ralphdWith(env, args.includes('--json') ? args : [...args, '--json']))['code'];
}

test('a loop is written into one file, in clear text or encrypted, and restored from it elsewhere', async () => {
  const project = await pausedProject(2);
  const folder = temporaryFolder();
  const plain = await project.ralphd('backup', '--to', folder);
  expect(plain.stdout).toMatch(/is not encrypted: whoever has the file can read it\.\n$/);
  const identity = await generateX25519Identity();
  writeFileSync(path.join(folder, 'key.txt'), `# created: now\n${identity}\n`);
  const sealed = path.join(folder, 'loop.tar.age');
  const to = ['backup', '--to', sealed, '--recipient', await identityToRecipient(identity)];
  expect((await project.ralphd(...to)).stdout).toMatch(/It is encrypted\.\n$/);
  expect(await codeOf(project, to)).toBe('BACKUP_TAKEN');
  expect(await codeOf(project, ['backup', '--to', 'x', '--recipient', 'age1mine'])).toBe('RECIPIENT_UNUSABLE');
  expect(await codeOf(project, ['backup', '--recipient', 'age1mine'])).toBe('BAD_VALUE');

  const [tar = ''] = readdirSync(folder).filter((name) => name.endsWith('.tar'));
  for (const from of [[path.join(folder, tar)], [sealed, '--identity', path.join(folder, 'key.txt')]]) {
    const other = createProject();
    const { stdout, code } = await other.ralphd('restore', '--from', ...from);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${onlyId(project)} is paused after iteration 2`)]);
    expect((await other.ralphd('status')).stdout).toContain('paused');
    expect(readFileSync(pathIn(other, 'iterations/001/attempt-1/prompt'))).toEqual(
      readFileSync(pathIn(project, 'iterations/001/attempt-1/prompt')),
    );
  }
  const other = createProject();
  expect(await codeOf(other, ['restore', '--from', sealed])).toBe('BACKUP_SEALED');
  writeFileSync(path.join(folder, 'short'), 'short\n');
  expect(await codeOf(other, ['restore', '--from', sealed, '--passphrase-file', path.join(folder, 'short')])).toBe(
    'PASSPHRASE_UNUSABLE',
  );
  expect(await codeOf(other, ['restore', '--from', sealed, '--identity', path.join(folder, 'short')])).toBe(
    'IDENTITY_UNUSABLE',
  );
  expect(loopIds(other)).toEqual([]);
});

test('a restore never replaces a loop that is here, unless it is told to, and then sets it aside', async () => {
  const project = await pausedProject(1);
  const file = path.join(temporaryFolder(), 'loop.tar');
  await project.ralphd('backup', '--to', file);
  const id = onlyId(project);
  expect(await codeOf(project, ['restore', '--from', file])).toBe('RESTORE_OVER_LOOP');
  expect(await codeOf(project, ['restore', '--from', '/no/such/folder'])).toBe('BACKUP_NOT_FOUND');
  const forced = await project.ralphd('restore', '--from', file, '--force', '--json');
  expect(endLine(forced)).toMatchObject({
    loopId: id,
    status: 'paused',
    setAside: [expect.stringContaining('.discarded'), expect.stringContaining('mirror')],
  });
  const restored = await project.ralphd('events', '--type', 'loop.restored', '--json');
  expect(endLine(restored)).toMatchObject({ workingDirectory: project.folder });
  rmSync(path.join(project.folder, '.ralph/loops', id), { recursive: true });
  expect(await codeOf(project, ['restore', '--from', file])).toBe('RESTORE_OVER_LOOP');
});

test('a target that hangs costs a loop its grace period at the end and nothing else, and the backup can be finished later', async () => {
  const server = await startS3Server();
  server.intercept = () => true;
  const target = `{ type: s3, name: cloud, bucket: ${server.bucket}, endpoint: "${server.endpoint}", region: eu-test-1 }`;
  const project = createWork(`  targets: [${target}]\n  grace: 200ms\n`);
  const run = await project.ralphdWith(s3Env, runOf());
  expect(run.code).toBe(0);
  const id = onlyId(project);
  expect(run.stderr).toContain(`To finish the backup: ralphd backup push ${id}`);
  expect((await project.ralphd('status')).stdout).toMatch(/backup +cloud: none yet; the newest attempt failed/);
  expect((await project.ralphd('doctor')).stdout).toContain(`ralphd backup push ${id}`);
  expect(await codeOf(project, ['backup', 'push'])).toBeUndefined();

  server.intercept = () => false;
  const pushed = await project.ralphdWith(s3Env, ['backup', 'push']);
  expect([pushed.code, pushed.stdout]).toEqual([
    0,
    expect.stringMatching(/^✓ cloud: ralph-\S+ is backed up to fact \d+/),
  ]);
  expect((await project.ralphd('status')).stdout).toMatch(/backup +cloud: \S+ ago, after iteration 1; 0 facts since\n/);
  expect((await project.ralphd('doctor')).stdout).not.toContain('backup push');
  const drill = await project.ralphdWith({ ...s3Env, AWS_ENDPOINT_URL: server.endpoint, AWS_REGION: 'eu-test-1' }, [
    'backup',
    'drill',
    '--from',
    `s3://${server.bucket}`,
  ]);
  expect(drill.stdout).toContain('It agrees with the loop here.');
});

test('a command stores the files of each backup, and a folder with what it stored can be restored from', async () => {
  const stored = temporaryFolder();
  const project = createWork('  targets: [{ type: command, run: ["./store.sh"] }]\n');
  project.script(
    'store.sh',
    'input=$(cat)',
    `echo "$input" >> '${path.join(stored, '..list')}'`,
    `folder=$(echo "$input" | sed 's/.*"folder":"\\([^"]*\\)".*/\\1/')`,
    `cp -R "$folder/." '${stored}/'`,
  );
  expect((await project.ralphd(...runOf())).code).toBe(0);
  const [first = ''] = readFileSync(path.join(stored, '..list'), 'utf8').split('\n');
  const { version, folder, files } = JSON.parse(first) as {
    version: number;
    folder: string;
    files: { name: string; path: string; bytes: number }[];
  };
  expect([version, existsSync(folder)]).toEqual([1, false]);
  expect(files.at(-1)?.name).toMatch(/^ralph-\S+\/manifests\/000001-000000001\.json$/);
  const other = createProject();
  const restored = await other.ralphd('restore', '--from', stored);
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('is completed after iteration 1')]);
});

test('targets that cannot work are refused before a loop starts, and nothing of a credential is shown', async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'real'));
  symlinkSync(path.join(folder, 'real'), path.join(folder, 'link'));
  const bad = [
    `{ type: folder, path: ${folder}/missing }`,
    `{ type: folder, path: ${folder}/link }`,
    '{ type: folder, path: ./backups }',
    '{ type: s3, bucket: b-b }',
    '{ type: s3, bucket: b-b, accessKeyId: "env:NONE", secretAccessKey: "env:NONE" }',
    '{ type: s3, bucket: b-b, profile: none }',
  ];
  for (const target of bad) {
    expect(await codeOf(createWork(`  targets: [${target}]\n`), runOf()), target).toBe('BACKUP_TARGET_UNUSABLE');
  }
  const wrong = [
    '{ type: s3, bucket: b-b, accessKeyId: AKIDTEST, secretAccessKey: hunter2hunter2 }',
    '{ type: s3, bucket: b-b, endpoint: "https://user:hunter2@host" }',
    '{ type: s3, bucket: b-b, path: /x }',
    '{ type: folder }',
    '{ type: s3, bucket: b-b, accessKeyId: "env:A" }',
    '{ type: s3, bucket: b-b, prefix: "../x" }',
  ];
  for (const target of wrong) {
    const { stdout } = await createWork(`  targets: [${target}]\n`).ralphd(...runOf());
    expect(stdout, target).toContain('CONFIG_BAD_VALUE');
    expect(stdout).not.toContain('hunter2');
  }
  expect(await codeOf(await pausedProject(1), ['backup', 'push'])).toBe('NO_BACKUP_TARGETS');
  expect(await codeOf(createProject(), ['restore', 'x', '--from', folder])).toBe('BACKUP_NOT_FOUND');
});

test('a target whose disk is full is named, and the loop completes', async ({ skip }) => {
  const folder = temporaryFolder();
  if (!mountDisk(folder, '4k')) skip('this user cannot mount a disk');
  const project = createWork(`  targets: [{ type: folder, name: nas, path: ${folder} }]\n  grace: 5s\n`);
  expect((await project.ralphd(...runOf())).code).toBe(0);
  expect((await project.ralphd('status')).stdout).toMatch(/failed: The backup target "nas" failed: its disk is full/);
});
