import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { changesBetween, createDiffStore, type Fingerprint, takeFingerprint } from '../../src/workspace/index.ts';
import type { BenchCase } from '../case.ts';

const folders = 500;
const filesInFolder = 100;
const edited = 100;
const count = (folders * filesInFolder).toLocaleString('en');

/** The cost of finding what an agent changed in a large tree. */
export const cases: readonly BenchCase[] = [
  {
    name: `changes in a repository of ${count} files`,
    against: 'git status',
    unit: 'ms',
    budget: { times: 1.5 },
    runs: 15,
    floor: () => timed(() => git(repository(), 'status')),
    subject: () => timeToSee(repository()),
  },
  {
    name: `the kept diff of ${edited} edits among ${count} files`,
    against: 'git status',
    unit: 'ms',
    budget: { times: 3 },
    runs: 15,
    floor: () => timed(() => git(repository(), 'status')),
    subject: () => timeToKeep(repository()),
  },
  {
    name: `changes in ${count} files outside git`,
    against: 'git status of the same files',
    unit: 'ms',
    budget: { times: 5 },
    runs: 15,
    floor: () => timed(() => git(repository(), 'status')),
    subject: () => timeToSee(plainFolder()),
  },
  {
    name: `first look at ${count} files outside git`,
    against: 'git hash-object of the same files',
    unit: 'ms',
    budget: { times: 2 },
    runs: 5,
    floor: () => timed(() => hashAll(repository())),
    subject: () => timed(() => takeFingerprint(plainFolder(), options)),
  },
];

const options = { env: process.env, exclude: [] };
const run = promisify(execFile);
const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-changes-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const plainFolder = once(() => makeTree('plain'));
const repository = once(() => {
  const folder = makeTree('repository');
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org'];
  for (const words of [
    ['init', '-q'],
    ['add', '.'],
    [...identity, 'commit', '-qm', 'first'],
  ]) {
    execFileSync('git', words, { cwd: folder });
  }
  return folder;
});

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function makeTree(name: string): string {
  const root = path.join(scratch, name);
  for (let number = 0; number < folders; number += 1) {
    const folder = path.join(root, `package-${number % 20}`, `folder-${number}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < filesInFolder; file += 1) {
      writeFileSync(path.join(folder, `file-${file}.ts`), `export const value = ${number};\n`.repeat(30));
    }
  }
  return root;
}

const latest = new Map<string, Fingerprint>();
let round = 0;

/** Edits some files, as an agent would. */
function editSome(folder: string): void {
  round += 1;
  for (let file = 0; file < edited; file += 1) {
    writeFileSync(path.join(folder, 'package-0', 'folder-0', `file-${file}.ts`), `edited ${round}`);
  }
}

const kept = path.join(scratch, 'kept');
const store = once(() =>
  createDiffStore({ objects: kept, within: scratch, workingDirectory: repository(), env: process.env }),
);

/** How long it takes to store the diff since the last time. */
async function timeToKeep(folder: string): Promise<number> {
  const before = await takeFingerprint(folder, options);
  await store().keep(before);
  editSome(folder);
  const after = await takeFingerprint(folder, options);
  return await timed(async () => {
    const diff = await store().compare(before, after);
    if (diff === undefined) throw new Error('The diff was not kept.');
  });
}

/** Edits some files, and measures how long it takes to find the changes. */
async function timeToSee(folder: string): Promise<number> {
  editSome(folder);
  const previous = latest.get(folder) ?? (await takeFingerprint(folder, options));
  return await timed(async () => {
    const after = await takeFingerprint(folder, { ...options, previous });
    const { known, counts } = await changesBetween(previous, after, options.env);
    if (!known || (latest.has(folder) && counts.modified !== edited)) {
      throw new Error(`Of ${edited} edits ${counts.modified} were seen.`);
    }
    latest.set(folder, after);
  });
}

async function git(cwd: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await run('git', words, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const listOf = once(() => execFileSync('git', ['ls-files'], { cwd: repository(), maxBuffer: 64 * 1024 * 1024 }));

async function hashAll(cwd: string): Promise<void> {
  execFileSync('git', ['hash-object', '--stdin-paths'], { cwd, input: listOf(), maxBuffer: 64 * 1024 * 1024 });
}

async function timed(step: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await step();
  return performance.now() - startedAt;
}
