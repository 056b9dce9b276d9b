import path from 'node:path';
import { realFolder } from './folder.ts';
import { git, gitSucceeds } from './git.ts';
import { isReadError } from './unreadable.ts';
import { listWorktrees } from './worktree-list.ts';

/** The work tree that a folder belongs to, as the start of another one. */
export interface WorktreeSource {
  /** Its top folder. */
  readonly top: string;
  /** The folder, relative to the top. */
  readonly prefix: string;
  /** The top folder of the main work tree of its repository. */
  readonly main: string;
  /** The branch that is checked out; undefined for a detached HEAD. */
  readonly branch?: string;
  readonly commit: string;
}

/** Why a folder cannot be the start of another work tree. */
export type NoWorktreeSource =
  | { readonly obstacle: 'no_git' }
  | { readonly obstacle: 'unsupported'; readonly why: string };

/** Looks at the repository of a folder, and reads nothing but its state. */
export async function findWorktreeSource(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<WorktreeSource | NoWorktreeSource> {
  const ask = async (...args: readonly string[]) => await lineOf(folder, args, env);
  const top = await ask('rev-parse', '--show-toplevel');
  if (top === undefined || top === '') {
    const isBare = (await ask('rev-parse', '--is-bare-repository')) === 'true';
    return isBare ? unsupported('the repository is bare and has no work tree here') : { obstacle: 'no_git' };
  }
  const [main] = await listWorktrees(folder, env);
  if (main === undefined || main.isBare) {
    return unsupported('the main repository is bare, so there is no main work tree that could keep the state');
  }
  if (await ask('rev-parse', '--show-superproject-working-tree')) {
    return unsupported('the folder is in a submodule of another repository');
  }
  const commit = await ask('rev-parse', '--verify', '--quiet', 'HEAD');
  if (!commit) return unsupported('there is no commit yet to start from');
  if (await gitSucceeds(folder, { args: ['cat-file', '-e', 'HEAD:.gitmodules'], env })) {
    return unsupported('the repository has submodules, which a new worktree would leave empty');
  }
  const branch = await currentBranch(folder, env);
  return {
    top: realFolder(top),
    prefix: path.relative(realFolder(top), realFolder(folder)),
    main: realFolder(main.path),
    commit,
    ...(branch ? { branch } : {}),
  };
}

/** The branch that is checked out; undefined outside git, and empty for a detached HEAD. */
export async function currentBranch(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return await lineOf(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD'], env);
}

function unsupported(why: string): NoWorktreeSource {
  return { obstacle: 'unsupported', why };
}

async function lineOf(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    return (await git(folder, { args, env })).toString().replace(/\n$/, '');
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}
