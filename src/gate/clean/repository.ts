import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findGitPlace, git, gitSucceeds, isReadError, toText, Unreadable } from '../../workspace/index.ts';

/** A repository, and the position of the work folder in it. */
export interface Repository {
  /** The top of the work tree. */
  readonly root: string;
  /** The path of the work folder relative to it; empty when it is the top itself. */
  readonly prefix: string;
  /** The commit that is checked out; undefined before the first one. */
  readonly head: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** The repository that contains a folder; undefined where there is none that git accepts. */
export async function findRepository(folder: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
  try {
    const root = await realpath(toText((await findGitPlace(folder, env)).root));
    // A folder that the surrounding repository ignores does not belong to it.
    if (await gitSucceeds(folder, { args: ['check-ignore', '-q', '.'], env })) return undefined;
    const head = await gitLine(folder, ['rev-parse', '--verify', '--quiet', 'HEAD'], env).catch(() => undefined);
    return { root, prefix: path.relative(root, await realpath(folder)), head, env };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

/** The single line that git prints; throws when it prints nothing. */
export async function gitLine(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const text = (await git(folder, { args, env })).toString().replace(/\n$/, '');
  if (text === '') throw new Unreadable(`git ${args[0]} printed nothing`);
  return text;
}

/** Creates a commit that no branch refers to. */
export async function commitTree({ root, env, head }: Repository, tree: string): Promise<string> {
  const identity = ['-c', 'user.name=ralphd', '-c', 'user.email=ralphd@localhost', '-c', 'commit.gpgSign=false'];
  const parent = head === undefined ? [] : ['-p', head];
  return await gitLine(root, [...identity, 'commit-tree', tree, ...parent, '-m', 'Work checked by ralphd'], env);
}
