import type { Content } from './content.ts';
import { git } from './git.ts';
import type { GitPlace } from './git-place.ts';
import { hasFlaggedFiles } from './index-flags.ts';
import type { RawPath } from './raw-path.ts';

/** A tracked file that `git status` skips, with its content in the index. */
export interface HiddenFile {
  readonly path: RawPath;
  readonly index: Content;
}

/** The files flagged `assume-unchanged` or `skip-worktree`: an agent may still edit them. */
export async function findHiddenFiles(
  folder: string,
  { index, algorithm }: GitPlace,
  env: NodeJS.ProcessEnv,
): Promise<readonly HiddenFile[]> {
  // Hardly any repository has such files.
  if (hasFlaggedFiles(index, algorithm) === false) return [];
  const lines = flaggedLines(await git(folder, { args: listArgs, env }));
  if (!lines.some(isSkipped)) return lines.map(parseLine);
  // In a sparse checkout the flag means that the file is not checked out; git itself notices one that exists anyway.
  const setting = ['config', '--bool', '--default', 'false', '--get', 'core.sparseCheckout'];
  const isSparse = (await git(folder, { args: setting, env })).toString().trim() === 'true';
  return lines.filter((line) => !(isSparse && isSkipped(line))).map(parseLine);
}

// The whole repository, from any folder inside it.
const listArgs = ['ls-files', '-v', '-z', '--full-name', '--stage', ':/'];

const isSkipped = (line: string) => line[0] === 'S' || line[0] === 's';

/** Decodes only the flagged lines: the list may be very long. */
function flaggedLines(output: Buffer): string[] {
  const lines: string[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    if (end === -1) break;
    if (isFlag(output[start] ?? 0)) lines.push(output.toString('latin1', start, end));
    start = end + 1;
  }
  return lines;
}

/** Whether a line's first letter is `S` (skip-worktree) or lower case (assume-unchanged). */
function isFlag(letter: number): boolean {
  return letter === 0x53 || (letter >= 0x61 && letter <= 0x7a);
}

/** Parses `h 100644 <id> 0<tab>path`. */
function parseLine(line: string): HiddenFile {
  const tab = line.indexOf('\t');
  const [, mode = '', id = ''] = line.slice(0, tab).split(' ');
  return { path: line.slice(tab + 1), index: `${mode} ${id}` };
}
