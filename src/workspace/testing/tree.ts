import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runToEnd } from '../../process/index.ts';
import { type Changes, changesBetween } from '../changes.ts';
import { takeFingerprint } from '../fingerprint.ts';

/** An environment without any git settings of a user. */
export const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

/** A temporary folder for a test. */
export interface Tree {
  readonly folder: string;
  at(file: string): string;
  write(file: string, text: string): void;
  remove(file: string): void;
  /** Runs a shell line, which must succeed. */
  sh(line: string): Promise<void>;
  /** Runs a shell line, which must succeed, and returns what it prints. */
  print(line: string): Promise<string>;
}

/** An empty folder, removed when the test ends. */
export function emptyFolder(): Tree {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd workspace '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (file: string) => path.join(folder, file);
  const print = async (line: string) => {
    const { ending, output } = await runToEnd({ command: line, cwd: folder, env });
    expect({ ending, output }).toMatchObject({ ending: { kind: 'exited', code: 0 } });
    return output;
  };
  return {
    folder,
    at,
    write: (file, text) => {
      mkdirSync(path.dirname(at(file)), { recursive: true });
      writeFileSync(at(file), text);
    },
    remove: (file) => rmSync(at(file), { recursive: true }),
    sh: async (line) => {
      await print(line);
    },
    print,
  };
}

/** A repository with one commit, an ignore rule and a file that is already changed. */
export async function repository(): Promise<Tree> {
  const tree = emptyFolder();
  tree.write('.gitignore', '*.log\n');
  tree.write('clean.txt', 'clean');
  tree.write('dirty.txt', 'committed');
  tree.write('package/inner.txt', 'inner');
  await tree.sh('git init -q -b main && git add . && git commit -qm first');
  tree.write('dirty.txt', 'changed once');
  return tree;
}

/** What an action changes in a tree. */
export async function changesBy(
  tree: Tree,
  act: () => unknown,
  { folder = tree.folder, exclude = [] as string[] } = {},
): Promise<Changes> {
  const before = await takeFingerprint(folder, { env, exclude });
  await act();
  const after = await takeFingerprint(folder, { env, exclude, previous: before });
  return changesBetween(before, after, env);
}

/** The changes as short lines. */
export function linesOf(changes: Changes): string[] {
  return [
    ...(changes.known ? [] : ['unknown']),
    ...(changes.headMoved ? ['head'] : []),
    ...changes.modified.map((file) => `M ${file}`),
    ...changes.created.map((file) => `A ${file}`),
    ...changes.deleted.map((file) => `D ${file}`),
  ];
}
