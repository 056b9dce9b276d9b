import { git } from './git.ts';
import { Unreadable } from './unreadable.ts';

const longestLine = 200;

/** The newest commits of a folder, newest first, one line each; none where there is no repository or no commit. */
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
    return lines.map((line) => line.slice(0, longestLine));
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}
