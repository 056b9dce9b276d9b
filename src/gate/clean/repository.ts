import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { git, gitSays, isReadError, Unreadable } from '../../workspace/index.ts';

/** A repository, and where in it the work folder lies. */
export interface Repository {
  /** The top of the work tree. */
  readonly root: string;
  /** The work folder as seen from there; empty when it is the top itself. */
  readonly prefix: string;
  /** The commit that is checked out; none before the first. */
  readonly head: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** The repository that a folder lies in; undefined where there is none that git would work with. */
export async function findRepository(folder: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
  try {
    const top = await line(folder, ['rev-parse', '--show-toplevel'], env);
    const root = await realpath(top);
    // A folder that the repository around it ignores is none of its business.
    if (await gitSays(folder, { args: ['check-ignore', '-q', '.'], env })) return undefined;
    const head = await line(folder, ['rev-parse', '--verify', '--quiet', 'HEAD'], env).catch(() => undefined);
    return { root, prefix: path.relative(root, await realpath(folder)), head, env };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

/** What git answers with one line. */
export async function line(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const text = (await git(folder, { args, env })).toString().replace(/\n$/, '');
  if (text === '') throw new Unreadable(`git ${args[0]} said nothing`);
  return text;
}

/** Makes a commit of a tree that no branch knows of. */
export async function commitTree({ root, env, head }: Repository, tree: string): Promise<string> {
  const identity = ['-c', 'user.name=ralphd', '-c', 'user.email=ralphd@localhost', '-c', 'commit.gpgSign=false'];
  const parent = head === undefined ? [] : ['-p', head];
  return await line(root, [...identity, 'commit-tree', tree, ...parent, '-m', 'What ralphd checks'], env);
}
