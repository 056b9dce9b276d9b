import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { createVolatileRoot } from '../../store/index.ts';
import { git, gitSays, isReadError, toText, Unreadable } from '../../workspace/index.ts';
import { CleanObstacle, obstacles } from './obstacles.ts';
import { commitTree, line, type Repository } from './repository.ts';

/** Protected files as they were when a loop started: a commit that only a reference of ralphd keeps alive. */
export interface ProtectedBase {
  readonly ref: string;
  readonly commit: string;
}

/** One of those files: its mode, the id of its bytes, and its path as seen from the top of the work tree. */
export interface BaseEntry {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

const MOST_FILES = 100_000;
/** What git calls a symbolic link. */
export const linkMode = '120000';

/** Where the base of a loop is kept. */
function baseRef(loopId: string): string {
  return `refs/ralphd/${loopId}/base`;
}

/** Keeps every protected file of the work folder byte by byte, whatever filters the repository has. */
export async function keepBase(
  repository: Repository,
  { loopId, isProtected }: { readonly loopId: string; readonly isProtected: (path: string) => boolean },
): Promise<ProtectedBase> {
  const { root, prefix, env } = repository;
  const folder = path.join(root, prefix);
  const listed = await git(folder, { args: ['ls-files', '-z', '-c', '-o', '--exclude-standard'], env });
  const files = [...new Set(namesIn(listed))].filter(
    (file) => isProtected(file) && modeOf(path.join(folder, file)) !== undefined,
  );
  if (files.length > MOST_FILES) throw new Unreadable(`${files.length} protected files are more than can be kept`);
  const ids = await rawIds(folder, files, { env, keep: true });
  const entries = files.map((file, index) => ({
    mode: modeOf(path.join(folder, file)) ?? '',
    id: ids[index] ?? '',
    path: path.posix.join(prefix, file),
  }));
  using scratch = createVolatileRoot();
  const indexFile = path.join(scratch.root, 'index');
  await git(root, { args: ['update-index', '-z', '--index-info'], env, indexFile, input: indexInfo(entries) });
  const tree = (await git(root, { args: ['write-tree'], env, indexFile })).toString().trim();
  const commit = await commitTree({ ...repository, head: undefined }, tree);
  const ref = baseRef(loopId);
  await git(root, { args: ['update-ref', ref, commit], env });
  return { ref, commit };
}

/** The kept files; throws when the reference no longer leads to them. */
export async function readBase(
  { root, env }: Repository,
  { ref, commit }: ProtectedBase,
): Promise<readonly BaseEntry[]> {
  const now = await line(root, ['rev-parse', '--verify', '--quiet', ref], env).catch(() => 'gone');
  if (now !== commit)
    throw new CleanObstacle(obstacles.baseLost(`${ref}, which keeps the protected files, was moved or deleted`));
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

/** The protected files that differ between two bases; nothing where the first can no longer be read. */
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

/** Lets the kept files go. */
export async function dropBase({ root, env }: Repository, loopId: string): Promise<void> {
  await gitSays(root, { args: ['update-ref', '-d', baseRef(loopId)], env });
}

interface IdOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly keep: boolean;
}

/** The ids of files by their bytes alone, of links by where they lead, and those bytes kept if wanted. */
export async function rawIds(
  folder: string,
  files: readonly string[],
  { env, keep }: IdOptions,
): Promise<readonly string[]> {
  const args = ['hash-object', ...(keep ? ['-w'] : []), '--no-filters'];
  const isLink = (file: string) => modeOf(path.join(folder, file)) === linkMode;
  const ids = new Map<string, string>();
  for (const link of files.filter(isLink)) {
    const input = readlinkSync(path.join(folder, link), 'buffer');
    ids.set(link, (await git(folder, { args: [...args, '--stdin'], env, input })).toString().trim());
  }
  const plain = files.filter((file) => !ids.has(file));
  if (plain.length === 0) return files.map((file) => ids.get(file) ?? '');
  const input = Buffer.from(plain.map((file) => `${quoted(file)}\n`).join(''));
  const said = (await git(folder, { args: [...args, '--stdin-paths'], env, input })).toString().trim().split('\n');
  for (const [index, file] of plain.entries()) ids.set(file, said[index] ?? '');
  return files.map((file) => ids.get(file) ?? '');
}

/** Entries as `update-index --index-info -z` takes them. */
export function indexInfo(entries: readonly BaseEntry[]): Buffer {
  return Buffer.from(entries.map(({ mode, id, path: file }) => `${mode} ${id}\t${file}\0`).join(''));
}

/** Names that git prints with a NUL behind each. */
export function namesIn(listed: Buffer): readonly string[] {
  return listed
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => toText(name));
}

// Names are separated by line ends, which may also stand in a name.
function quoted(file: string): string {
  return `"${file.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** What git calls a plain file or a link; nothing for anything else. */
export function modeOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) return linkMode;
  if (stats?.isFile() !== true) return undefined;
  return (stats.mode & 0o100) === 0 ? '100644' : '100755';
}
