import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { endByMarker } from '../../src/process/index.ts';
import { usual, writeCheck } from '../support/agents.ts';
import { onlyId } from '../support/loop-files.ts';
import { createProject, endLine, eventually, loopIds, type Project } from '../support/project.ts';

const planted = /planted-(task|output|code)/;

/** A project whose agent prints and writes planted texts; its second run waits for a file, the third one is done. */
function createMachine(): Project & { readonly home: string } {
  const project = createProject();
  execFileSync('git', ['init', '-q'], { cwd: project.folder });
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > heard',
    'echo planted-output; echo planted-output >&2; echo planted-code > code',
    'echo run >> runs; n=$(($(wc -l < runs)))',
    'if [ $n = 2 ]; then touch working; until [ -e go ]; do sleep 0.05; done; fi',
    'if [ $n -ge 3 ]; then touch done; echo "<promise>DONE</promise>"; fi',
  );
  return { ...project, home: path.dirname(project.folder) };
}

/** The names and contents of all files below a folder, unpacked. */
function textsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const bytes = readFileSync(path.join(entry.parentPath, entry.name));
      const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return `${entry.name}\n${(isCompressed ? gunzipSync(bytes) : bytes).toString('latin1')}`;
    });
}

function expectNothingPlanted(folder: string, atLeast: number): void {
  const texts = textsIn(folder);
  expect(texts.length).toBeGreaterThanOrEqual(atLeast);
  expect(texts.filter((text) => planted.test(text))).toEqual([]);
}

function backedUpIteration(target: string): number {
  const manifests = textsIn(target).flatMap((text) => /^\d{6}-\d{9}\.json\n(.*)/s.exec(text)?.[1] ?? []);
  return Math.max(0, ...manifests.map((text) => Number((JSON.parse(text) as { iteration: number }).iteration)));
}

test('A115, A134: backups of an encrypted loop contain no clear text, not even while its agent works, and only its key brings it back elsewhere', async () => {
  const first = createMachine();
  const inHome = (name: string) => path.join(first.home, name);
  const [target, archives, keyFile] = [inHome('target'), inHome('archives'), inHome('key')];
  for (const folder of [target, archives]) mkdirSync(folder);
  expect((await first.ralphd('key', 'new', '--file', keyFile)).code).toBe(0);
  const settings = `persistence: { encrypt: true }\nbackup: { targets: [{ type: folder, path: "${target}" }] }\n`;
  first.write('ralphd.yml', settings);
  const running = first.start(['run', 'planted-task', ...usual, '--verify', './check.sh'], {
    RALPHD_KEY_FILE: keyFile,
  });
  await eventually(() => first.has('working')).toBe(true);
  await eventually(() => backedUpIteration(target)).toBe(1);
  const id = onlyId(first);
  const current = path.join(first.folder, '.ralph/loops', id, 'iterations/002/attempt-1');
  expect(readFileSync(path.join(current, 'prompt'), 'utf8')).toMatch(planted);
  await eventually(() => readFileSync(path.join(current, 'stdout'), 'utf8')).toMatch(planted);
  const archived = await first.ralphd('backup', '--to', path.join(archives, 'loop.tar'));
  expect(archived.stdout).toMatch(/files in it are encrypted with the key of the loop; the archive itself is not/);
  expectNothingPlanted(target, 3);
  expectNothingPlanted(archives, 1);
  const overRunning = ['restore', '--from', path.join(archives, 'loop.tar'), '--force', '--json'];
  expect(endLine(await first.ralphd(...overRunning))).toMatchObject({ code: 'LOOP_LOCKED' });
  const rotatedRunning = await first.ralphd('key', 'rotate', '--to', keyFile);
  expect([rotatedRunning.code, rotatedRunning.stdout]).toEqual([1, expect.stringContaining('keeps its key')]);
  // Git's copies of the project's files, compressed.
  expect(textsIn(path.join(first.folder, '.ralph/loops', id, 'diffs')).length).toBeGreaterThan(0);
  expect(textsIn(archives).join('')).not.toContain('/diffs/');

  running.signal('SIGKILL');
  await running.ended;
  await endByMarker(first.env['RALPHD_ATTEMPT'] ?? '');
  expect((await first.ralphd('backup', 'push', id)).code).toBe(0);
  expectNothingPlanted(target, 3);

  // Another machine has neither the key nor the path that the loop remembers.
  const key = readFileSync(keyFile, 'utf8');
  rmSync(keyFile);
  const archivedLocked = await first.ralphd('backup', id, '--to', path.join(archives, 'locked.tar'));
  expect(archivedLocked.code, archivedLocked.stderr).toBe(0);
  expectNothingPlanted(archives, 2);
  const before = textsIn(path.join(first.folder, '.ralph'));
  const forced = await first.ralphd('restore', '--from', target, '--force', '--json');
  expect([forced.code, endLine(forced)['code']]).toEqual([78, 'KEY_MISSING']);
  expect(textsIn(path.join(first.folder, '.ralph'))).toEqual(before);

  for (const from of [target, path.join(archives, 'loop.tar'), path.join(archives, 'locked.tar')]) {
    const second = createMachine();
    second.write('runs', 'run\nrun\n');
    const refused = await second.ralphd('restore', '--from', from, '--json');
    expect([refused.code, endLine(refused)['code']]).toEqual([78, 'KEY_MISSING']);
    expect(loopIds(second)).toEqual([]);
    writeFileSync(path.join(second.home, 'own-key'), key, { mode: 0o600 });
    const keys = { RALPHD_KEY_FILE: path.join(second.home, 'own-key') };
    const restored = await second.ralphdWith(keys, ['restore', '--from', from]);
    expect([restored.code, restored.stdout], restored.stderr).toEqual([
      0,
      expect.stringContaining(`${id} is running after iteration 1`),
    ]);
    const completed = await second.ralphdWith(keys, ['resume', '--json']);
    expect(endLine(completed), completed.stderr).toMatchObject({ status: 'completed', verified: true, loopId: id });
    expectNothingPlanted(path.join(second.folder, '.ralph'), 10);
  }
  expectNothingPlanted(target, 3);
});

test('A115, A134: a loop that is encrypted later, and one whose key is changed, are backed up so that the new key alone restores them', async () => {
  const first = createMachine();
  const inHome = (name: string) => path.join(first.home, name);
  const [target, oldKey, newKey] = [inHome('target'), inHome('key'), inHome('new-key')];
  mkdirSync(target);
  for (const file of [oldKey, newKey]) expect((await first.ralphd('key', 'new', '--file', file)).code).toBe(0);
  first.write('ralphd.yml', `backup: { targets: [{ type: folder, path: "${target}" }] }\n`);
  const limits = ['--max-iterations', '1', '--on-limit', 'pause'];
  expect((await first.ralphd('run', 'it', ...usual, '--verify', './check.sh', ...limits)).code).toBe(2);
  const id = onlyId(first);
  const keys = { RALPHD_KEY_FILE: oldKey };
  const succeeds = async (...args: readonly string[]) => {
    const ended = await first.ralphdWith(keys, args);
    expect(ended.code, ended.stderr).toBe(0);
    return ended.stdout;
  };
  await succeeds('key', 'encrypt', id);
  await succeeds('backup', 'push', id);
  const rotated = await succeeds('key', 'rotate', '--to', newKey);
  expect(rotated).toContain('"ralphd backup push ID" makes one for the new key');
  rmSync(oldKey);
  keys.RALPHD_KEY_FILE = newKey;
  await succeeds('backup', 'push', id);
  expect(await succeeds('backup', 'drill', id)).toContain('It agrees with the loop here');

  const second = createMachine();
  const restored = await second.ralphdWith(keys, ['restore', '--from', target]);
  expect([restored.code, restored.stdout], restored.stderr).toEqual([0, expect.stringContaining('after iteration 1')]);
  expectNothingPlanted(path.join(second.folder, '.ralph'), 5);
});
