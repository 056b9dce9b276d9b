import path from 'node:path';
import { exists } from './content.ts';
import { join, type RawPath, toRaw } from './raw-path.ts';
import { readSmallFile, readSmallText } from './small-file.ts';

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

/**
 * The texts of files that git reads its settings from; undefined where one of them is something other than a plain file, so
 * that it may change unnoticed.
 */
export function settingsTexts(files: readonly RawPath[]): readonly string[] | undefined {
  const texts = files.map((file) => readSmallFile(file)?.toString('latin1') ?? (exists(file) ? undefined : ''));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

function resolve(folder: RawPath, name: RawPath): RawPath {
  return name.startsWith('/') ? name : path.posix.join(folder, name);
}
