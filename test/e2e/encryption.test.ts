import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { nodeFiles } from '../../src/files/index.ts';
import { createVault, readKeyFile } from '../../src/vault/index.ts';
import { usual, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { loopFolder, onlyId } from '../support/loop-files.ts';
import { createProject, type Ended, eventually, jsonLines, loopIds, type Project } from '../support/project.ts';

const planted = [
  'planted-task',
  'planted-output',
  'planted-guidance',
  'planted-path',
  'planted-code',
  'planted-criterion',
];

/** A project whose agent leaves planted texts everywhere, with a key outside of it. */
async function encryptedProject(): Promise<Project & { readonly home: string; readonly keyFile: string }> {
  const project = createProject();
  const home = path.dirname(project.folder);
  const keyFile = path.join(home, 'keys', 'key');
  await succeeds(project.ralphd('key', 'new', '--file', keyFile));
  execFileSync('git', ['init', '-q'], { cwd: project.folder });
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > heard',
    'echo planted-output',
    'echo planted-output >&2',
    'echo planted-code > planted-path.txt',
    'env > environment; tr "\\0" "\\n" < /proc/$PPID/environ >> environment; cat /proc/$PPID/cmdline >> environment',
    'echo more >> work',
    '[ "$(wc -l < work)" -ge 2 ] && touch done && echo "<promise>DONE</promise>"',
    'exit 0',
  );
  return { ...project, home, keyFile };
}

const run = ['run', 'planted-task', ...usual, '--verify', 'echo planted-criterion; ./check.sh', '--json'];
const encrypted = { RALPHD_PERSISTENCE_ENCRYPT: 'true' };

async function succeeds(running: Promise<Ended>): Promise<Ended> {
  const ended = await running;
  expect(ended.code, ended.stderr + ended.stdout).toBe(0);
  return ended;
}

/** The files that ralphd wrote and that contain a planted text, even if compressed. */
function leaks(home: string): readonly string[] {
  const own = ['a project/.ralph', '.local'].flatMap((name) => filesBelow(path.join(home, name)));
  expect(own.length).toBeGreaterThan(10);
  return own.filter((file) => {
    const texts = [readFileSync(file).toString('latin1'), unpacked(file), file];
    return texts.some((text) => planted.some((word) => text.includes(word)));
  });
}

function filesBelow(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function unpacked(file: string): string {
  try {
    return gunzipSync(readFileSync(file)).toString('latin1');
  } catch {
    return '';
  }
}

/** Everything below the state folder, to see that nothing changed. */
function stateOf({ folder }: Project): readonly (readonly [string, string])[] {
  return filesBelow(path.join(folder, '.ralph')).map((file) => [file, readFileSync(file).toString('base64')]);
}

test('A115: nothing that ralphd writes about an encrypted loop contains a prompt, an output, guidance or a path, and no child has the key', async () => {
  const project = await encryptedProject();
  const { home, keyFile } = project;
  const keys = { RALPHD_KEY: readFileSync(keyFile, 'utf8').trim(), RALPHD_KEY_FILE: keyFile };
  const env = { ...encrypted, ...keys, RALPHD_AUDIT: 'true' };
  const first = await project.ralphdWith(env, [...run, '--max-iterations', '1', '--on-limit', 'pause']);
  expect(first.code, first.stderr).toBe(2);
  await succeeds(project.ralphdWith(keys, ['guide', onlyId(project), 'planted-guidance']));
  expect(leaks(home)).toEqual([]);
  await succeeds(project.ralphdWith(keys, ['resume', onlyId(project), '--max-iterations', '5', '--json']));
  expect(onlyId(project)).toMatch(/^ralph-loop-[0-9a-f]{8}$/);
  expect(leaks(home)).toEqual([]);
  expect(project.read('heard')).toContain('planted-guidance');
  expect(project.read('environment')).toContain('RALPHD_LOOP_ID');
  expect(project.read('environment')).not.toMatch(/ralphd-key-1|RALPHD_KEY/);
});

test('A115: with the key every command shows an encrypted loop; without it each says so, and nothing changes', async () => {
  const project = await encryptedProject();
  const { keyFile } = project;
  const keys = { RALPHD_KEY_FILE: keyFile };
  await succeeds(project.ralphdWith({ ...encrypted, ...keys }, run));
  await succeeds(project.ralphd(...run.map((text) => (text === 'planted-task' ? 'plain' : text)), '--force'));
  const id = loopIds(project).find((each) => each.startsWith('ralph-loop-')) ?? '';
  const key = readFileSync(keyFile, 'utf8');
  const readers = ['status', 'logs', 'events', 'inspect', 'report', 'explain', 'audit', 'watch', 'proof'];
  for (const command of readers) {
    // The loop remembers where its key is.
    const { stdout } = await succeeds(project.ralphd(command, id));
    expect(stdout.length, command).toBeGreaterThan(10);
  }
  expect((await succeeds(project.ralphd('stats', id, '--prometheus'))).stdout).not.toContain(project.folder);
  await succeeds(project.ralphd('backup', id));
  expect((await project.ralphd('doctor', '--json')).stdout).not.toContain(id);
  expect((await succeeds(project.ralphd('key', 'check'))).stdout).toMatch(new RegExp(`✓ ${id}  unlocked`));

  writeFileSync(keyFile, key.replace(/.{9}\n$/, '\n'));
  const before = stateOf(project);
  for (const command of [...readers, 'backup', 'resume', 'recover', 'guide', 'pause']) {
    const ended = await project.ralphd(command, id, ...(command === 'guide' ? ['text'] : []), '--json');
    expect([command, ended.code, ended.stderr + ended.stdout]).toEqual([
      command,
      78,
      expect.stringMatching(/KEY_INVALID/),
    ]);
  }
  const listed = await project.ralphd('ls');
  expect(listed.stdout).toContain('plain');
  expect(listed.stdout + listed.stderr).toContain(`${id}: The key in`);
  expect((await project.ralphd('doctor')).stdout).toContain('not a whole key');
  expect((await project.ralphd('rm', id)).code).toBe(78);
  expect((await project.ralphd('gc')).code).toBe(0);
  const changed = stateOf(project).filter(([file]) => file.includes(id));
  expect(changed).toEqual(before.filter(([file]) => file.includes(id)));

  await succeeds(project.ralphd('key', 'new', '--file', `${keyFile}-2`));
  writeFileSync(keyFile, key);
  await succeeds(project.ralphd('key', 'rotate', '--to', `${keyFile}-2`));
  writeFileSync(keyFile, '');
  await succeeds(project.ralphd('status', id));
  expect(filesBelow(path.join(project.folder, '.ralph')).some((file) => readFileSync(file, 'utf8').includes(key))).toBe(
    false,
  );
});

test('A115: a loop that exists is encrypted in place, also if that was interrupted, and continues', async () => {
  const project = await encryptedProject();
  const { home, keyFile } = project;
  const keys = { RALPHD_KEY_FILE: keyFile };
  await project.ralphd(...run, '--max-iterations', '1', '--on-limit', 'pause', '--loop-id', 'ralph-x-a1b2c3d4');
  const folder = path.join(project.folder, loopFolder(project));
  // An encryption that died after some files.
  const vault = createVault({ sources: () => [] });
  const wanted = { master: readKeyFile(keyFile), createdAt: '2026-11-18T10:00:00.000Z', clear: [], complete: false };
  const loop = vault.newLoopAt({ files: nodeFiles, loopId: onlyId(project), folder }, wanted);
  loop.begin();
  for (const file of filesBelow(folder).filter((_, index) => index % 2 === 0))
    if (loop.mustProtect(file)) loop.protect(file);
  expect(leaks(home)).not.toEqual([]);
  expect((await succeeds(project.ralphdWith(keys, ['status']))).stdout).toContain('paused');
  expect((await project.ralphdWith(keys, ['doctor'])).stdout).toContain('Its encryption was interrupted');

  await succeeds(project.ralphdWith(keys, ['key', 'encrypt', onlyId(project)]));
  expect(leaks(home)).toEqual([]);
  await succeeds(project.ralphdWith(keys, ['resume', onlyId(project), '--max-iterations', '5', '--json']));
  expect(leaks(home)).toEqual([]);
  const again = await project.ralphdWith(keys, ['key', 'encrypt', onlyId(project), '--json']);
  expect(again.stderr).toContain('ALREADY_ENCRYPTED');
});

test('A115: a rotation that was cut off is finished by the next one, in every copy of the wrapped key', async () => {
  const project = await encryptedProject();
  const { home, keyFile } = project;
  const env = { ...encrypted, RALPHD_KEY_FILE: keyFile };
  await project.ralphdWith(env, [...run, '--max-iterations', '1', '--on-limit', 'pause']);
  const copies = [`${home}/a project/.ralph`, `${home}/.local`]
    .flatMap(filesBelow)
    .filter((file) => path.basename(file) === 'key.json');
  expect(copies.length).toBeGreaterThan(2);
  const before = copies.map((file) => readFileSync(file));
  await succeeds(project.ralphd('key', 'new', '--file', `${keyFile}-2`));
  await succeeds(project.ralphd('key', 'rotate', '--to', `${keyFile}-2`));
  const rotated = readFileSync(copies[0] ?? '', 'utf8');
  const expectRotated = () => expect(copies.filter((file) => readFileSync(file, 'utf8') !== rotated)).toEqual([]);
  expectRotated();
  // Killed after it had written the first copy, and now the new key is found first.
  for (const [index, file] of copies.entries()) if (index > 0) writeFileSync(file, before[index] ?? '');
  const keys = { RALPHD_KEY_FILE: `${keyFile}-2` };
  await succeeds(project.ralphdWith(keys, ['key', 'rotate', '--to', `${keyFile}-2`]));
  const [first = ''] = copies.map((file) => readFileSync(file, 'utf8'));
  expect(copies.filter((file) => readFileSync(file, 'utf8') !== first)).toEqual([]);
  writeFileSync(keyFile, '');
  await succeeds(project.ralphd('status', onlyId(project)));
});

test('A115: encryptSnapshot: false keeps state.json readable for other programs, and only that', async () => {
  const project = await encryptedProject();
  const keys = { RALPHD_KEY_FILE: project.keyFile, RALPHD_PERSISTENCE_ENCRYPT_SNAPSHOT: 'false' };
  const args = run.filter((text) => text !== '--json');
  const { stderr } = await succeeds(project.ralphdWith({ ...encrypted, ...keys }, args));
  expect(stderr).toContain(', encrypted except state.json');
  expect(leaks(project.home).map((file) => path.basename(file))).toEqual(['state.json']);
});

test('A115: a loop that is to be encrypted needs a key, and leaves nothing behind without one', async () => {
  const project = await encryptedProject();
  const ended = await project.ralphdWith(encrypted, run);
  expect([ended.code, ended.stdout + ended.stderr]).toEqual([78, expect.stringContaining('KEY_NEEDED')]);
  expect(project.has('.ralph')).toBe(false);
});

test('A115: the log of an encrypted loop in the background says nothing about it, and what its dead owner left is encrypted', async () => {
  const project = await encryptedProject();
  const keys = { RALPHD_KEY: readFileSync(project.keyFile, 'utf8').trim() };
  writeSteppedAgent(project);
  const started = await succeeds(project.start([...run, '--detach'], { ...encrypted, ...keys }).ended);
  const pid = Number(jsonLines(started.stdout)[0]?.['pid']);
  await eventually(() => project.has('heard-1')).toBe(true);
  process.kill(pid, 'SIGKILL');
  project.write('finish', '');
  project.write('go-1', '');
  await eventually(() => project.has('done')).toBe(true);
  await succeeds(project.start(['resume', onlyId(project), '--json'], keys).ended);
  expect(leaks(project.home)).toEqual([]);
  expect(project.read(`${loopFolder(project)}/detached.log`)).toContain('is encrypted');
});
