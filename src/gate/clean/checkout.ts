import { existsSync } from 'node:fs';
import path from 'node:path';
import { createTemporaryFolder, linkFolder, removeTemporaryFolders } from '../../files/index.ts';
import { git, gitSucceeds, isFolder, Unreadable } from '../../workspace/index.ts';
import { type BaseEntry, linkMode, modeOf, type ProtectedBase, rawIds, readBase } from './base.ts';
import { commitWorkTree } from './candidate.ts';
import type { Repository } from './repository.ts';

/** A temporary folder that contains exactly the present work; removed on disposal. */
export interface Checkout extends AsyncDisposable {
  /** The counterpart of the work folder. */
  readonly folder: string;
}

interface CheckoutOptions {
  readonly loopId: string;
  /** Folders, relative to the work folder, that it shares with the work tree. */
  readonly share: readonly string[];
  /** The original protected files to restore in it. */
  readonly strict?: { readonly base: ProtectedBase; readonly isProtected: (path: string) => boolean } | undefined;
}

/** Checks the present work out into a temporary folder. Throws `Unreadable` with the reason when it cannot. */
export async function openCheckout(repository: Repository, options: CheckoutOptions): Promise<Checkout> {
  const { loopId, share, strict } = options;
  await removeCheckouts(repository, loopId);
  const entries = strict === undefined ? [] : await readBase(repository, strict.base);
  const restoration = strict === undefined ? undefined : { entries, isProtected: strict.isProtected };
  const commit = await commitWorkTree(repository, restoration);
  const { root, prefix, env } = repository;
  const place = createTemporaryFolder(checkoutName(loopId));
  const top = path.join(place.root, path.basename(root) || 'work');
  const dispose = async () => {
    await gitSucceeds(root, { args: ['worktree', 'remove', '--force', '--force', top], env });
    place[Symbol.dispose]();
  };
  try {
    await git(root, { args: ['worktree', 'add', '--quiet', '--detach', top, commit], env });
    await assertExact(top, entries, env);
    const folder = path.join(top, prefix);
    for (const name of share) shareFolder(path.join(root, prefix), folder, name);
    return { folder, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Removes what a dead owner left behind. */
export async function removeCheckouts({ root, env }: Repository, loopId: string): Promise<void> {
  const listed = (await git(root, { args: ['worktree', 'list', '--porcelain'], env })).toString();
  const name = checkoutName(loopId);
  const ours = [...listed.matchAll(/^worktree (.*)$/gm)]
    .map(([, top = '']) => top)
    .filter((top) => path.basename(path.dirname(top)).startsWith(`ralphd-${name}-`));
  for (const top of ours) await gitSucceeds(root, { args: ['worktree', 'remove', '--force', '--force', top], env });
  removeTemporaryFolders(
    name,
    ours.map((top) => path.dirname(top)),
  );
}

function checkoutName(loopId: string): string {
  return `gate-${loopId}`;
}

/** A filter or an attribute could have altered the protected files on checkout. */
async function assertExact(top: string, entries: readonly BaseEntry[], env: NodeJS.ProcessEnv): Promise<void> {
  const isLink = (mode: string | undefined) => mode === linkMode;
  const missing = entries.find((entry) => {
    const mode = modeOf(path.join(top, entry.path));
    return mode === undefined || isLink(mode) !== isLink(entry.mode);
  });
  if (missing !== undefined) throw new Unreadable(`${missing.path} could not be restored`);
  const files = entries.map((entry) => entry.path);
  const ids = await rawIds(top, files, { env, store: false });
  const altered = entries.find((entry, index) => ids[index] !== entry.id);
  if (altered !== undefined) throw new Unreadable(`${altered.path} could not be restored`);
}

function shareFolder(from: string, to: string, name: string): void {
  const shared = path.join(from, name);
  const at = path.join(to, name);
  if (path.relative(to, at).startsWith('..') || !isFolder(shared) || existsSync(at)) return;
  if (existsSync(path.dirname(at))) linkFolder(shared, at);
}
