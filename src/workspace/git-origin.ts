import { git } from './git.ts';

/** The repository that a checkout shares with others, and the branch that is checked out. */
export interface GitOrigin {
  readonly repository: string;
  readonly branch?: string;
}

/** Where a checkout came from; undefined without a remote "origin". */
export async function originOf(folder: string, env: NodeJS.ProcessEnv): Promise<GitOrigin | undefined> {
  const repository = await lineOf(folder, ['remote', 'get-url', 'origin'], env);
  if (repository === undefined) return undefined;
  const branch = await lineOf(folder, ['symbolic-ref', '--short', '--quiet', 'HEAD'], env);
  return { repository, ...(branch === undefined ? {} : { branch }) };
}

async function lineOf(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const text = (await git(folder, { args, env })).toString('utf8').trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
