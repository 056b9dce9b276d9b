import path from 'node:path';
import { createTemporaryFolder } from '../../files/index.ts';
import { git } from '../../workspace/index.ts';
import { type BaseEntry, indexInfo, namesIn } from './base.ts';
import { CleanObstacle, obstacles } from './obstacles.ts';
import { commitTree, type Repository } from './repository.ts';

/** Protected files to restore. */
interface Restoration {
  readonly entries: readonly BaseEntry[];
  /** Takes paths relative to the work folder. */
  readonly isProtected: (path: string) => boolean;
}

/**
 * Commits the present work tree without ignored files. It uses its own index: the user's index, branches and work tree
 * stay unchanged.
 */
export async function commitWorkTree(repository: Repository, restoration?: Restoration): Promise<string> {
  const { root, env, head } = repository;
  using scratch = createTemporaryFolder();
  const indexFile = path.join(scratch.root, 'index');
  if (head !== undefined) await git(root, { args: ['read-tree', head], env, indexFile });
  await git(root, { args: ['add', '--all', '--', ':/'], env, indexFile });
  await addTrackedButIgnored(repository, indexFile);
  await assertNoRepositoryInside(repository, indexFile);
  if (restoration !== undefined) await restore(repository, restoration, indexFile);
  const tree = (await git(root, { args: ['write-tree'], env, indexFile })).toString().trim();
  return await commitTree(repository, tree);
}

/** Files that are tracked despite an ignore rule, and not committed yet, are part of the work tree. */
async function addTrackedButIgnored({ root, env }: Repository, indexFile: string): Promise<void> {
  const listed = await git(root, { args: ['ls-files', '-z', '-c', '-i', '--exclude-standard'], env });
  if (listed.length === 0) return;
  await git(root, { args: ['update-index', '-z', '--add', '--remove', '--stdin'], env, indexFile, input: listed });
}

async function assertNoRepositoryInside({ root, env }: Repository, indexFile: string): Promise<void> {
  const listed = (await git(root, { args: ['ls-files', '-z', '--stage'], env, indexFile })).toString('latin1');
  const inside = /(?:^|\0)160000 [^\t]*\t([^\0]*)/.exec(listed)?.[1];
  if (inside === undefined) return;
  throw new CleanObstacle(obstacles.nestedRepository(inside));
}

async function restore(
  { root, prefix, env }: Repository,
  { entries, isProtected }: Restoration,
  indexFile: string,
): Promise<void> {
  const present = namesIn(await git(root, { args: ['ls-files', '-z'], env, indexFile }));
  const replaced = present.filter((file) => {
    const relative = path.posix.relative(prefix, file);
    return !relative.startsWith('../') && isProtected(relative);
  });
  const names = Buffer.from(replaced.map((file) => `${file}\0`).join(''));
  await git(root, { args: ['update-index', '-z', '--force-remove', '--stdin'], env, indexFile, input: names });
  await git(root, { args: ['update-index', '-z', '--index-info'], env, indexFile, input: indexInfo(entries) });
}
