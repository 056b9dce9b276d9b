import { accessSync, constants, lstatSync } from 'node:fs';
import path from 'node:path';
import { git } from '../git.ts';
import { join, type RawPath, toBytes, toRaw, toText } from '../raw-path.ts';
import { createTurns } from '../turns.ts';
import { isReadError } from '../unreadable.ts';
import { writingMs } from '../worktree-merge.ts';
import type { Carrier } from './carrier.ts';

/** A file that stays on this machine, and why. */
export interface LeftBehind {
  readonly path: string;
  readonly why: 'too large' | 'a repository of its own' | 'unreadable';
}

interface CaptureTree {
  /** The commit that is checked out. */
  readonly head: string;
  /** Files above this size are left behind. */
  readonly maxFileBytes: number;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Writes every file of a work tree that is not ignored as a tree, byte for byte. Only files that changed since the last
 * time are read. The work tree's own index and repository are not touched, and nothing that they configure runs.
 */
export async function captureTree(
  carrier: Carrier,
  { head, maxFileBytes, env }: CaptureTree,
): Promise<{ readonly tree: string; readonly leftBehind: readonly LeftBehind[] }> {
  const { top, repository, indexFile } = carrier;
  const run = async (args: readonly string[], input?: readonly RawPath[]) => {
    const bytes = input === undefined ? {} : { input: toBytes(input.map((each) => `${each}\0`).join('')) };
    const call = { args, env, repository, workTree: top, indexFile, timeoutMs: writingMs, ...bytes };
    return (await git(top, call)).toString('latin1');
  };
  const found = await candidates(carrier, { run, head, env });
  const sorted = await sortOut(top, found, maxFileBytes);
  if (sorted.gone.length > 0) await run(['update-index', '-z', '--force-remove', '--stdin'], sorted.gone);
  if (sorted.links.length > 0) await run(['update-index', '-z', '--add', '--index-info'], sorted.links);
  if (sorted.there.length > 0) {
    await run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], sorted.there);
  }
  return { tree: (await run(['write-tree'])).trim(), leftBehind: sorted.leftBehind };
}

interface Candidates {
  readonly paths: ReadonlySet<RawPath>;
  /** Folders that are repositories of their own. */
  readonly nested: readonly RawPath[];
  /** Submodules of the commit, as lines for the index. */
  readonly submodules: ReadonlyMap<RawPath, string>;
}

interface Asking {
  readonly run: (args: readonly string[], input?: readonly RawPath[]) => Promise<string>;
  readonly head: string;
  readonly env: NodeJS.ProcessEnv;
}

const raw = ['-z', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=all'];

/** Every path that may differ from what was captured the last time. */
async function candidates(carrier: Carrier, { run, head, env }: Asking): Promise<Candidates> {
  const untracked = namesIn(await run(['ls-files', '-z', '--others', '--exclude-standard']));
  const changed = parseRaw(await run(['diff-files', ...raw]));
  // Ignored files that the agent has committed or staged.
  const committed = parseRaw(await run(['diff-index', '--cached', ...raw, head])).filter(({ from }) => from !== none);
  const staged = await stagedIn(carrier, head, env);
  const submodules = committed.filter(({ from }) => from === submodule);
  const files = [...changed, ...committed, ...staged].filter((each) => !submodules.includes(each));
  return {
    paths: new Set([...untracked.filter((name) => !name.endsWith('/')), ...files.map(({ file }) => file)]),
    nested: untracked.filter((name) => name.endsWith('/')),
    submodules: new Map(submodules.map(({ file, id }) => [file, `${submodule} ${id}\t${file}`])),
  };
}

const none = '000000';
const submodule = '160000';

interface RawChange {
  readonly from: string;
  readonly id: string;
  readonly file: RawPath;
}

function parseRaw(printed: string): readonly RawChange[] {
  const parts = printed.split('\0');
  return parts.flatMap((part, index) => {
    const [, from, id] = /^:(\d{6}) \d{6} ([0-9a-f]+) [0-9a-f]+ [A-Z]/.exec(part) ?? [];
    const file = parts[index + 1];
    return from === undefined || id === undefined || file === undefined ? [] : [{ from, id, file }];
  });
}

/** What the agent staged; nothing where its index cannot be read. */
async function stagedIn(carrier: Carrier, head: string, env: NodeJS.ProcessEnv): Promise<readonly RawChange[]> {
  const { top, repository } = carrier;
  const indexFile = path.join(top, '.git', 'index');
  try {
    const args = ['diff-index', '--cached', '--diff-filter=A', ...raw, head];
    return parseRaw((await git(top, { args, env, repository, workTree: top, indexFile })).toString('latin1'));
  } catch (error) {
    if (!isReadError(error)) throw error;
    return [];
  }
}

interface Sorted {
  readonly there: RawPath[];
  readonly gone: RawPath[];
  readonly links: readonly string[];
  readonly leftBehind: LeftBehind[];
}

/** Sorts paths by what is there now. */
async function sortOut(top: string, found: Candidates, maxFileBytes: number): Promise<Sorted> {
  const sorted: Sorted = { there: [], gone: [], links: [...found.submodules.values()], leftBehind: [] };
  for (const name of found.nested) {
    sorted.leftBehind.push({ path: toText(name), why: 'a repository of its own' });
  }
  const isBelowLink = createLinkCheck(toRaw(top));
  const turns = createTurns();
  for (const name of found.paths) {
    if (turns.isOver()) await turns.next();
    const file = join(toRaw(top), name);
    const stats = isBelowLink(name) ? undefined : lstatSync(toBytes(file), { throwIfNoEntry: false });
    if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) sorted.gone.push(name);
    else if (stats.size > maxFileBytes) sorted.leftBehind.push({ path: toText(name), why: 'too large' });
    else if (stats.isFile() && !isReadable(file)) sorted.leftBehind.push({ path: toText(name), why: 'unreadable' });
    else sorted.there.push(name);
  }
  return sorted;
}

/** Whether a path leads through a symbolic link, which is no folder of the work tree. */
function createLinkCheck(top: RawPath): (name: RawPath) => boolean {
  const known = new Map<RawPath, boolean>([['.', false]]);
  const isLink = (folder: RawPath): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const stats =
      isLink(path.posix.dirname(folder)) || lstatSync(toBytes(join(top, folder)), { throwIfNoEntry: false });
    const answer = stats === true || stats?.isDirectory() === false;
    known.set(folder, answer);
    return answer;
  };
  return (name) => isLink(path.posix.dirname(name));
}

function isReadable(file: RawPath): boolean {
  try {
    accessSync(toBytes(file), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function namesIn(printed: string): readonly RawPath[] {
  return printed.split('\0').filter((name) => name !== '');
}
