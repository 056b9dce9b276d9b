import type { Content } from './content.ts';
import { git } from './git.ts';
import type { RawPath } from './raw-path.ts';

/** A tracked file that `git status` was told not to look at, with what the index has for it. */
export interface HiddenFile {
  readonly path: RawPath;
  readonly index: Content;
}

/** The files that are marked `assume-unchanged` or `skip-worktree`: an agent may still edit them. */
export async function findHiddenFiles(folder: string, env: NodeJS.ProcessEnv): Promise<readonly HiddenFile[]> {
  // Hardly any repository has one, so the short list comes first.
  const marked = marks(await git(folder, { args: LIST, env }));
  if (marked.length === 0) return [];
  const lines = marks(await git(folder, { args: [...LIST, '--stage'], env }));
  if (!lines.some(isSkipped)) return lines.map(parseLine);
  // In a sparse checkout the mark means that the file is not here; git itself sees when one is there all the same.
  const setting = ['config', '--bool', '--default', 'false', '--get', 'core.sparseCheckout'];
  const isSparse = (await git(folder, { args: setting, env })).toString().trim() === 'true';
  return lines.filter((line) => !(isSparse && isSkipped(line))).map(parseLine);
}

// From any folder inside, the whole repository.
const LIST = ['ls-files', '-v', '-z', '--full-name', ':/'];

const isSkipped = (line: string) => line[0] === 'S' || line[0] === 's';

/** The lines with a mark; only these become text. */
function marks(output: Buffer): string[] {
  const lines: string[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    if (end === -1) break;
    if (isMark(output[start] ?? 0)) lines.push(output.toString('latin1', start, end));
    start = end + 1;
  }
  return lines;
}

/** Whether a line's first letter is `S`, for skip-worktree, or small, for assume-unchanged. */
function isMark(letter: number): boolean {
  return letter === 0x53 || (letter >= 0x61 && letter <= 0x7a);
}

/** Reads `h 100644 <id> 0<tab>path`. */
function parseLine(line: string): HiddenFile {
  const tab = line.indexOf('\t');
  const [, mode = '', id = ''] = line.slice(0, tab).split(' ');
  return { path: line.slice(tab + 1), index: `${mode} ${id}` };
}
