import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { createTemporaryFolder } from '../../files/index.ts';
import { git, gitSucceeds, isReadError, toText, Unreadable } from '../../workspace/index.ts';
import { CleanObstacle, obstacles } from './obstacles.ts';
import { commitTree, gitLine, type Repository } from './repository.ts';

/** The protected files at the start of a loop: a commit that only a ref of ralphd keeps alive. */
export interface ProtectedBase {
  readonly ref: string;
  readonly commit: string;
}

/** One of those files. */
export interface BaseEntry {
  readonly mode: string;
  /** The id of its bytes. */
  readonly id: string;
  /** Relative to the top of the work tree. */
  readonly path: string;
}

const maxFiles = 100_000;
/** Git's mode of a symbolic link. */
export const linkMode = '120000';

function baseRef(loopId: string): string {
  return `refs/ralphd/${loopId}/base`;
}

/** Saves the exact bytes of every protected file of the work folder, whatever filters the repository has. */
export async function saveBase(
  repository: Repository,
  { loopId, isProtected }: { readonly loopId: string; readonly isProtected: (path: string) => boolean },
): Promise<ProtectedBase> {
  const { root, prefix, env } = repository;
  const folder = path.join(root, prefix);
  const listed = await git(folder, { args: ['ls-files', '-z', '-c', '-o', '--exclude-standard'], env });
  const files = [...new Set(namesIn(listed))].filter(
    (file) => isProtected(file) && modeOf(path.join(folder, file)) !== undefined,
  );
  if (files.length > maxFiles) {
    throw new Unreadable(`there are ${files.length} protected files; the maximum is ${maxFiles}`);
  }
  const ids = await rawIds(folder, files, { env, store: true });
  const entries = files.map((file, index) => ({
    mode: modeOf(path.join(folder, file)) ?? '',
    id: ids[index] ?? '',
    path: path.posix.join(prefix, file),
  }));
  using scratch = createTemporaryFolder();
  const indexFile = path.join(scratch.root, 'index');
  await git(root, { args: ['update-index', '-z', '--index-info'], env, indexFile, input: indexInfo(entries) });
  const tree = (await git(root, { args: ['write-tree'], env, indexFile })).toString().trim();
  const commit = await commitTree({ ...repository, head: undefined }, tree);
  const ref = baseRef(loopId);
  await git(root, { args: ['update-ref', ref, commit], env });
  return { ref, commit };
}

/** The saved files; throws when the ref no longer points to them. */
export async function readBase(
  { root, env }: Repository,
  { ref, commit }: ProtectedBase,
): Promise<readonly BaseEntry[]> {
  const now = await gitLine(root, ['rev-parse', '--verify', '--quiet', ref], env).catch(() => 'gone');
  if (now !== commit)
    throw new CleanObstacle(obstacles.baseLost(`${ref}, which holds the protected files, was moved or deleted`));
  const listed = await git(root, { args: ['ls-tree', '-r', '-z', '--full-tree', commit], env });
  return listed
    .toString('latin1')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const tab = entry.indexOf('\t');
      const [mode = '', , id = ''] = entry.slice(0, tab).split(' ');
      return { mode, id, path: toText(entry.slice(tab + 1)) };
    });
}

/** The protected files that differ between two bases; undefined where the first can no longer be read. */
export async function changedBetween(
  { root, prefix, env }: Repository,
  before: ProtectedBase,
  after: ProtectedBase,
): Promise<readonly string[] | undefined> {
  try {
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', before.commit, after.commit];
    return namesIn(await git(root, { args, env })).map((file) => path.posix.relative(prefix, file));
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

/** Removes the reference that keeps the original files; returns it if there was one. */
export async function dropBase({ root, env }: Repository, loopId: string): Promise<string | undefined> {
  const ref = baseRef(loopId);
  if (!(await gitSucceeds(root, { args: ['show-ref', '--verify', '--quiet', ref], env }))) return undefined;
  return (await gitSucceeds(root, { args: ['update-ref', '-d', ref], env })) ? ref : undefined;
}

interface IdOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Whether to store the bytes in the repository as well. */
  readonly store: boolean;
}

/** The ids of files by their bytes alone, without filters; of links, by their target. */
export async function rawIds(
  folder: string,
  files: readonly string[],
  { env, store }: IdOptions,
): Promise<readonly string[]> {
  const args = ['hash-object', ...(store ? ['-w'] : []), '--no-filters'];
  const isLink = (file: string) => modeOf(path.join(folder, file)) === linkMode;
  const ids = new Map<string, string>();
  for (const link of files.filter(isLink)) {
    const input = readlinkSync(path.join(folder, link), 'buffer');
    ids.set(link, (await git(folder, { args: [...args, '--stdin'], env, input })).toString().trim());
  }
  const plain = files.filter((file) => !ids.has(file));
  if (plain.length === 0) return files.map((file) => ids.get(file) ?? '');
  const input = Buffer.from(plain.map((file) => `${quoted(file)}\n`).join(''));
  const lines = (await git(folder, { args: [...args, '--stdin-paths'], env, input })).toString().trim().split('\n');
  for (const [index, file] of plain.entries()) ids.set(file, lines[index] ?? '');
  return files.map((file) => ids.get(file) ?? '');
}

/** The input of `update-index --index-info -z`. */
export function indexInfo(entries: readonly BaseEntry[]): Buffer {
  return Buffer.from(entries.map(({ mode, id, path: file }) => `${mode} ${id}\t${file}\0`).join(''));
}

/** Splits NUL-terminated names. */
export function namesIn(listed: Buffer): readonly string[] {
  return listed
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => toText(name));
}

// Names are separated by line breaks, and a name may contain one.
function quoted(file: string): string {
  return `"${file.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Git's mode of a plain file or a link; undefined for anything else. */
export function modeOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) return linkMode;
  if (stats?.isFile() !== true) return undefined;
  return (stats.mode & 0o100) === 0 ? '100644' : '100755';
}
