import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  copyRoomFile,
  makePrivateFolder,
  makeRoomFolder,
  nodeFiles,
  putRoomFile,
  removeRoomEntry,
} from '../../files/index.ts';
import { absent } from '../content.ts';
import { pathExists } from '../folder.ts';
import { git, type PrivateRepository } from '../git.ts';
import { parseDiff } from '../git-status.ts';
import { join, type RawPath, toBytes, toRaw } from '../raw-path.ts';
import { readSmallText } from '../small-file.ts';
import { writingMs } from '../worktree-merge.ts';
import { shownAddress } from './address.ts';
import { quoted } from './bare.ts';
import type { CaptureNote } from './capture-message.ts';
import { type Carrier, openCarrier, partsOf, writeState } from './carrier.ts';
import type { CloneCache } from './clone-cache.ts';

/** What a work tree is built from. */
export interface TreeOrder {
  readonly loopId: string;
  readonly repository: string;
  /** Where the branch of the loop begins, if it is new here. */
  readonly branch: string;
  /** The commit to check out. */
  readonly commit: string;
  /** A capture with more than that commit. */
  readonly capture?: { readonly commit: string; readonly note: CaptureNote };
}

/** Builds a work tree in a folder that does not exist yet. Nothing that the repository contains runs. */
export async function buildTree(
  folder: string,
  order: TreeOrder,
  { cache, env }: { readonly cache: CloneCache; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const { top, bare } = partsOf(folder);
  makePrivateFolder(folder);
  makeRoomFolder(top);
  await layTree(top, order, cache, env);
  makePrivateFolder(bare);
  const state = { version: 1, loopId: order.loopId, start: order.commit } as const;
  const carrier = openCarrier(folder, cache, { repository: order.repository, env, state });
  await checkOutCommit(top, order.commit, { cache, env });
  const index = path.join(top, '.git', 'index');
  // Its time tells git which files may have changed since it was written: never later than the original's.
  copyRoomFile(index, carrier.indexFile, { mode: 0o600, mtimeMs: Math.floor(lstatSync(index).mtimeMs) });
  if (order.capture !== undefined) await layCapture(carrier, order.commit, order.capture.commit, env);
  writeState(folder, state);
}

/** The agent's own repository. It borrows the objects of the cache, and has settings and refs for itself. */
async function layTree(top: string, order: TreeOrder, cache: CloneCache, env: NodeJS.ProcessEnv): Promise<void> {
  const format = cache.algorithm === 'sha1' ? [] : [`--object-format=${cache.algorithm}`];
  await git(top, { args: ['init', '--quiet', '--template=', ...format], env });
  const own = path.join(top, '.git');
  makeRoomFolder(path.join(own, 'info'));
  putRoomFile(path.join(own, 'objects', 'info', 'alternates'), `${cache.repository.objects}\n`, 0o644);
  const settings = readSmallText(toRaw(path.join(own, 'config')));
  const origin = `[remote "origin"]\n\turl = ${quoted(shownAddress(order.repository))}\n\tfetch = ${fetchRule}\n`;
  putRoomFile(path.join(own, 'config'), `${Buffer.from(settings, 'latin1').toString()}${origin}`, 0o644);
  const note = order.capture?.note;
  const refs = note?.refs ?? [{ name: order.branch, id: order.commit }];
  const input = Buffer.from(refs.map(({ name, id }) => `create ${name} ${id}\n`).join(''));
  if (refs.length > 0) await git(top, { args: ['update-ref', '--create-reflog', '--stdin'], env, input });
  const branch = note === undefined ? order.branch : note.branch;
  const head = branch === undefined ? `${order.commit}\n` : `ref: ${branch}\n`;
  putRoomFile(path.join(own, 'HEAD'), head, 0o644);
}

const fetchRule = '+refs/heads/*:refs/remotes/origin/*';

/** With the conversions of line ends that the repository asks for, and without any filter. */
async function checkOutCommit(
  top: string,
  commit: string,
  { cache, env }: { readonly cache: CloneCache; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const own = path.join(top, '.git');
  const repository: PrivateRepository = {
    folder: own,
    objects: path.join(own, 'objects'),
    alternates: [cache.repository.objects],
  };
  const args = ['-c', 'checkout.workers=0', '-c', 'core.protectNTFS=false', 'read-tree', '-u', '--reset', commit];
  await git(top, { args, env, repository, workTree: top, timeoutMs: writingMs });
}

/**
 * Brings the files from those of the commit to those of the capture, byte for byte; the index of the work tree stays at the
 * commit. Only what differs is written: the rest may have line ends that the attributes of the repository ask for.
 */
async function layCapture(carrier: Carrier, commit: string, capture: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { top, repository, indexFile } = carrier;
  const run = async (args: readonly string[], lines: readonly RawPath[] = []) => {
    const input = toBytes(lines.map((line) => `${line}\0`).join(''));
    return await git(top, { args, env, repository, workTree: top, indexFile, input, timeoutMs: writingMs });
  };
  const diff = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', commit, capture];
  const changes = [...parseDiff(await run(diff))].map(([file, { after }]) => ({ file, after }));
  const gone = changes.filter(({ after }) => after === absent).map(({ file }) => file);
  const there = changes.filter(({ after }) => after !== absent);
  for (const file of gone) removeWithFolders(toRaw(top), file);
  await run(['update-index', '-z', '--force-remove', '--stdin'], gone);
  const entries = there.map(({ file, after }) => `${after}\t${file}`);
  await run(['update-index', '-z', '--add', '--replace', '--index-info'], entries);
  const files = there.filter(({ after }) => !after.startsWith(submodule)).map(({ file }) => file);
  await run(['checkout-index', '-z', '--force', '--index', '--stdin'], files);
}

const submodule = '160000 ';

/** Removes a file that was just checked out, and the folders that only it kept. */
function removeWithFolders(top: RawPath, file: RawPath): void {
  removeRoomEntry(toBytes(join(top, file)));
  for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder)) {
    const place = toBytes(join(top, folder));
    if (readdirSync(place).length > 0) return;
    removeRoomEntry(place);
  }
}

/** Puts what was built in its place. Whatever was there, complete or not, is gone afterwards. */
export function replaceFolder(built: string, folder: string, aside: string): void {
  if (pathExists(folder)) nodeFiles.rename(folder, aside);
  nodeFiles.rename(built, folder);
  removeRoomEntry(aside);
}
