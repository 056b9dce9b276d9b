import path from 'node:path';
import { exists } from './content.ts';
import { join, type RawPath, toRaw } from './raw-path.ts';
import { readSmallText } from './small-file.ts';

/** Where the files of a repository are. */
export interface GitFolders {
  /** The git folder of this work tree. */
  readonly own: RawPath;
  /** The git folder that all work trees of the repository share. */
  readonly shared: RawPath;
}

/** The git folders of the work tree whose top this is. */
export function gitFoldersOf(top: RawPath): GitFolders {
  const place = join(top, '.git');
  const named = /^gitdir: (.*)\n*$/.exec(readSmallText(place))?.[1];
  const own = named === undefined ? place : resolve(top, named);
  const shared = readSmallText(join(own, 'commondir')).replace(/\n$/, '');
  return { own, shared: shared === '' ? own : resolve(own, shared) };
}

/** The nearest folder, from this one upwards, that contains a `.git`; undefined where none does. */
export function findGitTop(folder: string): RawPath | undefined {
  for (let top = folder; ; top = path.dirname(top)) {
    if (exists(toRaw(path.join(top, '.git')))) return toRaw(top);
    if (top === path.dirname(top)) return undefined;
  }
}

function resolve(folder: RawPath, name: RawPath): RawPath {
  return name.startsWith('/') ? name : path.posix.join(folder, name);
}
