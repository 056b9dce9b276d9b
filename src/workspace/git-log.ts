import { git } from './git.ts';
import { Unreadable } from './unreadable.ts';

const maxLineLength = 200;

/** The latest commits, newest first, one line each; empty where there is no repository or no commit. */
export async function recentCommits(
  folder: string,
  { count, env }: { readonly count: number; readonly env: NodeJS.ProcessEnv },
): Promise<readonly string[]> {
  try {
    const args = ['log', `--max-count=${count}`, '--no-show-signature', '--format=%h %s', '--'];
    const printed = await git(folder, { args, env });
    const lines = printed
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => line.slice(0, maxLineLength));
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}

/** The commit that is checked out; undefined where there is no repository or no commit. */
export async function currentCommit(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    return (await git(folder, { args: ['rev-parse', '--verify', '--quiet', 'HEAD'], env })).toString().trim();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
