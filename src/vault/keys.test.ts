import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { nodeFiles } from '../files/index.ts';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { type KeySetting, keySources } from './key-sources.ts';
import { findKeyring } from './keyring.ts';
import { createKeyText, parseKeyText } from './master-key.ts';
import { masterOf, vaultWith, wantedWith } from './testing/vaults.ts';
import { createVault } from './vault.ts';

const loopId = 'ralph-x-a1b2c3d4';

function codeOf(step: () => unknown): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return error instanceof LoopError ? error.failure.code : String(error);
  }
}

test('a key is one line that says itself whether it is whole', () => {
  const text = createKeyText();
  expect(text).toMatch(/^ralphd-key-1\.[A-Za-z0-9_-]{43}\.[0-9a-f]{8}$/);
  const { id, bytes } = parseKeyText(`${text}\n`, { source: 'a test' });
  expect([bytes.byteLength, id]).toEqual([32, expect.stringMatching(/^[0-9a-f]{16}$/)]);
  expect(createKeyText()).not.toBe(text);
  for (let length = 0; length < text.length; length += 1) {
    expect(codeOf(() => parseKeyText(text.slice(0, length), { source: 'a test' }))).toBe('KEY_INVALID');
  }
  expect(
    codeOf(() =>
      parseKeyText(
        text.replace(/\.(.)/, (_, letter) => (letter === 'A' ? '.B' : '.A')),
        { source: '' },
      ),
    ),
  ).toBe('KEY_INVALID');
});

/** A folder with a key file, and an environment without any key. */
function keyPlace() {
  const cwd = temporaryFolder();
  const file = path.join(cwd, 'key');
  const text = createKeyText();
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  const read = (env: NodeJS.ProcessEnv, keyFiles: readonly string[] = []) =>
    keySources({ env: { PATH: cwd, ...env }, cwd } satisfies KeySetting, keyFiles).flatMap(
      ({ read: get }) => get()?.id ?? [],
    );
  return { cwd, file, text, read, id: parseKeyText(text, { source: '' }).id };
}

test('a key comes from the environment, a file or the keyring, in this order', () => {
  const { cwd, file, text, read, id } = keyPlace();
  const other = createKeyText();
  const otherId = parseKeyText(other, { source: '' }).id;
  expect(read({})).toEqual([]);
  expect(read({ RALPHD_KEY: other, RALPHD_KEY_FILE: 'key' })).toEqual([otherId, id]);
  expect(read({}, [file])).toEqual([id]);
  const link = path.join(cwd, 'link');
  symlinkSync(file, link);
  expect(read({ RALPHD_KEY_FILE: link })).toEqual([id]);
  writeFileSync(path.join(cwd, 'secret-tool'), `#!/bin/sh\necho "$*" > "${cwd}/asked"\necho ${text}\n`, {
    mode: 0o755,
  });
  expect(read({})).toEqual([id]);
  expect(readFileSync(path.join(cwd, 'asked'), 'utf8')).toBe('lookup service ralphd account master-key\n');
});

test('a key file that is missing, shortened or readable for others is refused', () => {
  const { cwd, file, text, read } = keyPlace();
  expect(codeOf(() => read({ RALPHD_KEY_FILE: 'no such file' }))).toBe('KEY_UNREADABLE');
  const pipe = path.join(cwd, 'pipe');
  execFileSync('mkfifo', ['-m', '644', pipe]);
  mkdirSync(path.join(cwd, 'folder'), { mode: 0o755 });
  for (const other of [cwd, path.join(cwd, 'folder'), pipe])
    expect(codeOf(() => read({ RALPHD_KEY_FILE: other }))).toBe('KEY_UNREADABLE');
  for (const mode of [0o640, 0o604, 0o660, 0o644]) {
    chmodSync(file, mode);
    expect(codeOf(() => read({ RALPHD_KEY_FILE: file }))).toBe('KEY_EXPOSED');
  }
  writeFileSync(file, text.slice(0, 40));
  chmodSync(file, 0o600);
  expect(codeOf(() => read({ RALPHD_KEY_FILE: file }))).toBe('KEY_INVALID');
});

test('a key is stored in the keyring through its input, and a keyring that refuses says why', () => {
  const { cwd } = keyPlace();
  const program = path.join(cwd, 'secret-tool');
  writeFileSync(program, `#!/bin/sh\necho "$*" > "${cwd}/asked"\ncat > "${cwd}/stored"\n`, { mode: 0o755 });
  const env = { PATH: `${cwd}:/usr/bin:/bin` };
  findKeyring(env, cwd)?.store('the key');
  expect(readFileSync(path.join(cwd, 'stored'), 'utf8')).toBe('the key');
  expect(readFileSync(path.join(cwd, 'asked'), 'utf8')).not.toContain('the key');
  writeFileSync(program, '#!/bin/sh\necho "the keyring is locked" >&2\nexit 1\n', { mode: 0o755 });
  expect(codeOf(() => findKeyring(env, cwd)?.store('x'))).toBe('KEYRING_FAILED');
  expect(findKeyring({ PATH: '/nowhere' }, cwd)).toBeUndefined();
});

function encryptedLoop() {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'journal'));
  const location = { files: nodeFiles, loopId, folder };
  const loop = vaultWith(masterOf(1)).newLoopAt(location, wantedWith(masterOf(1)));
  loop.begin();
  return { folder, location, loop, record: path.join(folder, 'key.json') };
}

test('a loop is opened with its own key only, and says which key it needs', () => {
  const { location, loop } = encryptedLoop();
  expect(vaultWith(masterOf(1)).loopAt(location)?.unlock()).toEqual(loop.unlock());
  expect(codeOf(() => vaultWith(masterOf(2)).loopAt(location)?.unlock())).toBe('KEY_WRONG');
  expect(codeOf(() => vaultWith(undefined).loopAt(location)?.unlock())).toBe('KEY_MISSING');
  const setting = { env: { PATH: '/nowhere', RALPHD_KEY_FILE: '/no/key' }, cwd: '/' };
  const searching = createVault({ sources: () => keySources(setting) });
  expect(() => searching.loopAt(location)?.unlock()).toThrow(
    'was not found. The key file /no/key cannot be read: there is no such file. Nothing was changed.',
  );
  expect(vaultWith(masterOf(1)).loopAt({ ...location, folder: temporaryFolder() })).toBeUndefined();
});

test('no byte of a key record can change unnoticed; a copy replaces one that is damaged', () => {
  const { folder, location, record } = encryptedLoop();
  const bytes = readFileSync(record);
  const copy = path.join(folder, 'journal', 'key.json');
  for (let at = 0; at < bytes.byteLength; at += 4) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 2;
    for (const file of [record, copy]) writeFileSync(file, changed);
    const opened = () => vaultWith(masterOf(1)).loopAt(location)?.unlock();
    expect(['KEY_RECORD_DAMAGED', 'KEY_WRONG', 'STATE_NEWER_VERSION', undefined]).toContain(codeOf(opened));
    // What is still accepted says exactly the same.
    if (codeOf(opened) === undefined) expect(JSON.stringify(opened())).toContain(loopId);
    writeFileSync(copy, bytes);
    expect(codeOf(opened)).toBeUndefined();
    // One flipped bit makes a copy look newer than this version.
    writeFileSync(record, bytes.toString('utf8').replace('"format": 1', '"format": 3'));
    expect(codeOf(opened)).toBeUndefined();
  }
});

test('a rotated loop opens with the new key only, and its files stay as they are', () => {
  const { folder, location, loop } = encryptedLoop();
  const file = path.join(folder, 'state.json');
  loop.files.close(writeTo(loop.files, file, 'a state'));
  const before = readFileSync(file);
  loop.rewrap({}, masterOf(2));
  expect(codeOf(() => vaultWith(masterOf(1)).loopAt(location)?.unlock())).toBe('KEY_WRONG');
  const reopened = vaultWith(masterOf(2)).loopAt(location);
  expect(textOf(reopened?.files ?? nodeFiles, file)).toBe('a state');
  expect(readFileSync(file)).toEqual(before);
});

test('wherever a rotation is cut off, the old or the new key opens the loop, and the next rotation finishes it', () => {
  const steps = ['create', 'write', 'sync', 'rename', 'syncFolder'] as const;
  for (let cut = 0, isCut = true; isCut; cut += 1) {
    const { folder, location, loop } = encryptedLoop();
    mkdirSync(path.join(folder, 'backups'));
    loop.keep();
    let left = cut;
    isCut = false;
    const cutting = { ...nodeFiles };
    for (const step of steps) {
      const real = nodeFiles[step] as (...given: readonly unknown[]) => unknown;
      Object.assign(cutting, {
        [step]: (...given: readonly unknown[]) => {
          left -= 1;
          // After its end, a process does nothing more.
          isCut ||= left < 0;
          if (isCut) throw new Error('killed');
          return real(...given);
        },
      });
    }
    const rotating = vaultWith(masterOf(1)).loopAt({ ...location, files: cutting });
    if (codeOf(() => rotating?.rewrap({}, masterOf(2))) === undefined) expect(isCut).toBe(false);
    const [old, renewed] = [1, 2].map((number) => vaultWith(masterOf(number)).loopAt(location));
    const [usable, master] = codeOf(() => renewed?.unlock()) === undefined ? [renewed, 2] : [old, 1];
    if (master === 2) usable?.keep();
    else usable?.rewrap({}, masterOf(2));
    const copies = ['', 'journal', 'backups'].map((name) => readFileSync(path.join(folder, name, 'key.json'), 'utf8'));
    expect(new Set(copies).size, `cut at ${cut}`).toBe(1);
    expect(codeOf(() => vaultWith(masterOf(1)).loopAt(location)?.unlock())).toBe('KEY_WRONG');
    expect(vaultWith(masterOf(2)).loopAt(location)?.unlock().loopId).toBe(loopId);
    expect(cut).toBeLessThan(40);
  }
});

test('a plain file in place of an encrypted one is never shown as it is, nor is the file of another name', () => {
  const { folder, location, loop } = encryptedLoop();
  const [state, backup] = [path.join(folder, 'state.json'), path.join(folder, 'analytics.json')];
  loop.files.close(writeTo(loop.files, state, '{"a":1}'));
  const vault = vaultWith(masterOf(1));
  const read = (file: string) => textOf(vault.loopAt(location)?.files ?? nodeFiles, file);
  expect(read(state)).toBe('{"a":1}');
  writeFileSync(backup, readFileSync(state));
  expect(read(backup)).not.toContain('a');
  writeFileSync(state, '{"forged":1}');
  expect(read(state)).not.toContain('forged');
});

test('the output of an agent is readable while it works and encrypted afterwards, whatever it prints', () => {
  const { folder, location, loop } = encryptedLoop();
  const attempt = path.join(folder, 'iterations', '001', 'attempt-1');
  mkdirSync(attempt, { recursive: true });
  const [output, state] = [path.join(attempt, 'stdout'), path.join(folder, 'state.json')];
  loop.files.close(writeTo(loop.files, state, 'x'));
  // An agent that prints how an encrypted file begins must not hide its output, nor keep it in clear text.
  const text = `${readFileSync(state, 'latin1').replace('state.json', 'iterations/001/attempt-1/stdout')} planted`;
  writeFileSync(output, text, { mode: 0o600 });
  const { files } = vaultWith(masterOf(1)).loopAt(location) ?? loop;
  expect(textOf(files, output)).toBe(text);
  loop.protect(output);
  expect(readFileSync(output, 'latin1')).not.toContain('planted');
  expect(textOf(files, output)).toBe(text);
  const once = readFileSync(output);
  loop.protect(output);
  expect(readFileSync(output)).toEqual(once);
});

function writeTo(files: typeof nodeFiles, file: string, text: string): number {
  const open = files.create(file);
  files.write(open, Buffer.from(text));
  return open;
}

function textOf(files: typeof nodeFiles, file: string): string {
  const open = files.openToRead(file);
  const into = Buffer.alloc(files.lookAt(open).size);
  files.read(open, into, 0);
  files.close(open);
  return into.toString('latin1');
}
