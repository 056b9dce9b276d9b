import path from 'node:path';
import { appendToUserFile } from '../files/index.ts';
import { exists } from './content.ts';
import { realFolder } from './folder.ts';
import { findGitTop, gitFoldersOf } from './git-folder.ts';
import { join, type RawPath, toName, toRaw } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';

/**
 * Lists a folder in the repository's own `info/exclude`, if it is in a work tree. A `.gitignore` inside the folder is not
 * enough: an agent that runs `git clean -fdx` and then `git add -A` deletes it before ralphd can put it back.
 */
export function excludeFromCommits(folder: string): void {
  const parent = realFolder(path.dirname(folder));
  const top = findGitTop(parent);
  if (top === undefined) return;
  const file = join(gitFoldersOf(top).shared, 'info/exclude');
  const name = toName(file);
  const bytes = readSmallFile(file);
  // Anything but a plain file, such as a link, is left alone.
  if (name === undefined || (bytes === undefined && exists(file))) return;
  const text = bytes?.toString('latin1') ?? '';
  const place = toRaw(path.join(parent, path.basename(folder)));
  const rule = `/${escapeGlob(path.posix.relative(top, place))}/`;
  if (text.split('\n').includes(rule)) return;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  appendToUserFile(name, Buffer.from(`${separator}${rule}\n`, 'latin1'));
}

function escapeGlob(name: RawPath): RawPath {
  return name.replace(/[\\*?[\]]/g, '\\$&');
}
