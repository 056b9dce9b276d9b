import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd, selfIdentity } from '../../process/index.ts';
import { openLoopFolders } from '../../store/index.ts';
import { createDiffStore } from '../../workspace/index.ts';
import { diffPlaceOf } from '../stores.ts';
import { createRunFile } from './baseline-file.ts';
import { createWorkspacePort } from './workspace-port.ts';

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
const first = { iteration: 3, attempt: 1 };
const second = { iteration: 3, attempt: 2 };
const nothing = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
const unknown = { ...nothing, known: false };

/** A project whose loop can be opened by one owner after the other. */
function project() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-port-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = path.join(folder, '.ralph');
  const store = openLoopFolders({ root, owner: selfIdentity(), livenessOf: () => 'dead', now: () => new Date() });
  const loopId = 'ralph-port-00000001';
  store.create(loopId).close();
  const at = (file: string) => path.join(folder, file);
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  };
  const baseline = path.join(root, 'loops', loopId, 'work-tree.jsonl');
  /** What each owner has: a port that knows only what is on disk. */
  const withPort = async <Result>(
    use: (port: ReturnType<typeof createWorkspacePort>) => Promise<Result>,
    trackFileChanges = true,
  ): Promise<Result> => {
    using open = store.open(loopId);
    const isProtected = (file: string) => file.startsWith('test/');
    const setting = { workingDirectory: folder, ours: [root], env, trackFileChanges, isProtected };
    const diffPlace = diffPlaceOf({ folder: open.folder, workingDirectory: folder }, env);
    const diffs = createDiffStore(diffPlace);
    using baseline = createRunFile(open.place);
    return await use(createWorkspacePort({ ...setting, baseline, diffs, diffPlace }));
  };
  const sh = (line: string) => runToEnd({ command: line, cwd: folder, env });
  return { folder, at, write, sh, baseline, withPort };
}

test('A077 A090: changes are those since the look before the run, and each look is the base of the next', async () => {
  const { write, withPort } = project();
  write('a.txt', '1');
  await withPort(async (port) => {
    expect(await port.changes()).toEqual(unknown);
    await port.begin(first);
    write('a.txt', '2');
    write('b.txt', '');
    const changed = { ...nothing, modified: ['a.txt'], created: ['b.txt'], count: 2 };
    expect(await port.changes()).toEqual(changed);
    expect(await port.changes()).toEqual(nothing);
  });
});

test('directly after a run its last look serves for the next, and the next owner finds it', async () => {
  const { write, withPort } = project();
  write('a.txt', '1');
  await withPort(async (port) => {
    await port.begin(first);
    write('a.txt', '2');
    expect(await port.changes()).toMatchObject({ modified: ['a.txt'] });
    write('between.txt', '');
    await port.begin(second, true);
    write('b.txt', '');
  });
  await withPort(async (port) => {
    await port.restore(second);
    expect(await port.changes()).toMatchObject({ known: true, modified: [], created: ['b.txt', 'between.txt'] });
  });
});

test('without an earlier look, one is taken even directly after a run', async () => {
  const { write, withPort } = project();
  await withPort(async (port) => {
    await port.begin(first, true);
    write('b.txt', '');
    expect(await port.changes()).toMatchObject({ known: true, created: ['b.txt'] });
  });
});

test('protected files are listed separately, even where more files changed than are listed', async () => {
  const { write, at, withPort } = project();
  write('test/old.js', '1');
  write('test/gone.js', '1');
  await withPort(async (port) => {
    await port.begin(first);
    for (let index = 0; index < 250; index += 1) write(`a/${index}.txt`, '');
    write('test/old.js', '2');
    write('test/new.js', '');
    rmSync(at('test/gone.js'));
    const { created, protected: touched } = await port.changes();
    expect(created).toHaveLength(200);
    expect(touched).toEqual({ changed: ['test/old.js', 'test/gone.js'], created: ['test/new.js'] });
  });
});

test('A077: without tracking nothing is read and the changes are unknown', async () => {
  const { baseline, withPort } = project();
  await withPort(async (port) => {
    await port.begin(first);
    await port.restore(first);
    expect(await port.changes()).toEqual(unknown);
    expect(await port.signOfLife?.()).toBe('');
  }, false);
  expect(() => readFileSync(baseline)).toThrow('ENOENT');
});

test.for(['a repository', 'a plain folder'])(
  'A077 A099: in %s the next owner knows what an adopted run changed',
  async (kind) => {
    const { write, sh, withPort } = project();
    write('.gitignore', '*.log');
    for (const file of ['clean.txt', 'dirty.txt', 'deleted.txt']) write(file, file);
    if (kind === 'a repository') await sh('git init -q && git add . && git commit -qm first');
    write('dirty.txt', 'changed');
    write('odd\n\u00e9', 'changed');
    await withPort((port) => port.begin(first));
    for (const file of ['clean.txt', 'dirty.txt', 'new.txt', 'odd\n\u00e9', 'x.log']) write(file, 'by the agent');
    await sh('rm deleted.txt');
    const changes = await withPort(async (port) => {
      await port.restore(first);
      return await port.changes();
    });
    const modified = ['clean.txt', 'dirty.txt', 'odd\n\u00e9'];
    const { commit: _commit, lines, trees: _trees, ...files } = changes;
    expect(lines).toEqual(kind === 'a repository' ? { added: 4, removed: 4 } : undefined);
    expect(files).toEqual({ ...nothing, modified, created: ['new.txt'], deleted: ['deleted.txt'], count: 5 });
  },
);

const losses: readonly [title: string, lose: (file: string) => void][] = [
  ['missing', (file) => rmSync(file)],
  ['empty', (file) => writeFileSync(file, '')],
  ['cut short', (file) => writeFileSync(file, readFileSync(file).subarray(0, -9))],
  ['rotten', (file) => writeFileSync(file, readFileSync(file).fill(0, 20, 40))],
  ['a link', (file) => replaceBy(file, () => symlinkSync('elsewhere', file))],
  ['a folder', (file) => replaceBy(file, () => mkdirSync(file))],
];

function replaceBy(file: string, make: () => void): void {
  cpSync(file, path.join(path.dirname(file), 'elsewhere'));
  rmSync(file);
  make();
}

test.for(losses)('A077: where what was kept is %s, the changes are unknown', async ([, lose]) => {
  const { baseline, withPort } = project();
  await withPort((port) => port.begin(first));
  lose(baseline);
  await withPort(async (port) => {
    await port.restore(first);
    expect(await port.changes()).toEqual(unknown);
    await port.begin(second);
    expect(await port.changes()).toEqual(nothing);
  });
});

test('A077: the stored state of another attempt is not used for this one', async () => {
  const { withPort } = project();
  await withPort((port) => port.begin(first));
  await withPort(async (port) => {
    await port.restore(second);
    expect(await port.changes()).toEqual(unknown);
    await port.restore(first);
    expect(await port.changes()).toEqual(nothing);
  });
});

test('the state before the newest of many runs is found, also when the file of the others was deleted or is full', async () => {
  const { write, baseline, withPort } = project();
  write('x'.repeat(200), '1');
  await withPort(async (port) => {
    for (let attempt = 1; attempt <= 2_000; attempt += 1) await port.begin({ iteration: 1, attempt }, attempt > 1);
    expect(statSync(baseline).size).toBeLessThan(300_000);
    rmSync(baseline);
    await port.begin(second, true);
  });
  write('b.txt', '');
  await withPort(async (port) => {
    await port.restore(second);
    expect(await port.changes()).toMatchObject({ known: true, created: ['b.txt'] });
  });
});

test('the first sign of life of a run is what was seen before it', async () => {
  const { write, withPort } = project();
  await withPort(async (port) => {
    await port.begin(first);
    const sign = await port.signOfLife?.();
    await port.changes();
    await port.begin(second, true);
    write('a.txt', 'at once');
    expect(await port.signOfLife?.()).toBe(sign);
    expect(await port.signOfLife?.()).not.toBe(sign);
  });
});

test('the sign of life changes with the files that count, and does not disturb what is compared', async () => {
  const { write, sh, withPort } = project();
  write('.gitignore', '*.log');
  await withPort(async (port) => {
    for (const prepare of ['true', 'git init -q && git add . && git commit -qm first']) {
      await sh(prepare);
      await port.begin(first);
      const before = await port.signOfLife?.();
      write('x.log', prepare);
      expect(await port.signOfLife?.()).toBe(before);
      write('a.txt', prepare);
      const after = await port.signOfLife?.();
      expect(after).not.toBe(before);
      write('a.txt', `${prepare} again`);
      expect(await port.signOfLife?.()).not.toBe(after);
      expect(await port.changes()).toMatchObject({ known: true, count: 1 });
    }
  });
});

test('R26: what a run changed names the commit at its end, and whether that holds all of it', async () => {
  const { write, sh, withPort } = project();
  write('a.txt', '1');
  await sh('git init -q');
  await withPort(async (port) => {
    await port.begin(first);
    expect(await port.changes()).not.toHaveProperty('commit');
    await sh('git add . && git commit -qm first');
    const { commit } = await port.changes();
    expect(commit).toEqual({ id: expect.stringMatching(/^[0-9a-f]{40}$/u), isWhole: true });
    write('b.txt', 'new');
    expect(await port.changes()).toMatchObject({ commit: { id: commit?.id, isWhole: false } });
  });
});

test('B022: files for a handover are read inside the working directory alone, and what cannot be read is named', async () => {
  const { folder, at, write, sh, withPort } = project();
  write('PLAN.md', 'the plan\n');
  write('long.txt', `begin${'.'.repeat(5_000)}end`);
  write('binary', '\0\u0001');
  mkdirSync(at('folder'));
  symlinkSync('/etc/passwd', at('link'));
  symlinkSync('PLAN.md', at('inside'));
  await sh('mkfifo pipe');
  const names = ['PLAN.md', 'inside', 'long.txt', 'binary', 'folder', 'pipe', 'link', '../x', '/etc/passwd', 'gone'];
  await withPort((port) => {
    const files = port.readFiles?.([...names, path.relative(folder, '/etc/passwd')], 1_000) ?? [];
    expect(files.map(({ text, problem }) => problem ?? text?.replace(/\.+/gu, '…'))).toEqual([
      'the plan\n',
      'the plan\n',
      'begin…\n[…]\n…end',
      'not a text file',
      'not a regular file',
      'not a regular file',
      'it leads out of the working directory',
      'the file does not exist',
      'the file does not exist',
      'the file does not exist',
      'it leads out of the working directory',
    ]);
    expect(files[2]?.text?.length).toBeLessThan(1_100);
    return Promise.resolve();
  });
});

test('a run in a repository tells how many lines it changed, also when another owner comes to its end', async () => {
  const { write, sh, withPort } = project();
  write('a.txt', 'one\n');
  await sh('git init -q && git add a.txt && git commit -qm first');
  write('a.txt', 'one\ntwo\n');
  await withPort(async (port) => {
    await port.begin(first);
    write('a.txt', 'one\n2\n3\n');
    expect(await port.changes()).toMatchObject({ count: 1, lines: { added: 2, removed: 1 } });
    expect(await port.changes()).not.toHaveProperty('lines');
    await port.begin(second, true);
    write('b.txt', 'new\n');
  });
  await withPort(async (port) => {
    await port.restore(second);
    expect(await port.changes()).toMatchObject({ created: ['b.txt'], lines: { added: 1, removed: 0 } });
  });
});

test('an agent that removes what was kept before its run costs the lines and nothing else', async () => {
  const { write, sh, withPort } = project();
  await sh('git init -q && git commit -q --allow-empty -m first');
  write('untracked.txt', 'one\n');
  await withPort(async (port) => {
    await port.begin(first);
    await sh('rm -rf .ralph/loops/*/diffs untracked.txt');
    write('b.txt', 'new\n');
    const { lines, ...changes } = await port.changes();
    expect(changes).toMatchObject({ known: true, created: ['b.txt'], deleted: ['untracked.txt'] });
    expect(lines).toEqual({ added: 1, removed: 0 });
  });
});
