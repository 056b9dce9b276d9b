import { type Glob, matchesGlob, matchesSequence, parseGlobs } from './ignore-glob.ts';
import type { RawPath } from './raw-path.ts';

/** One line of a `.gitignore` file. */
interface IgnoreRule {
  /** The line begins with `!`: it re-includes what earlier rules ignore. */
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** The pattern contains a slash: it matches a path from this folder, not a name at any depth. */
  readonly anchored: boolean;
  /** One per part of the path; `**` stands for any number of folders. */
  readonly parts: readonly (Glob | '**')[];
}

/** The rules of one folder, and those of its parent folders. */
export interface IgnoreRules {
  readonly folder: RawPath;
  readonly rules: readonly IgnoreRule[];
  readonly parent?: IgnoreRules | undefined;
}

/** Parses the `.gitignore` of a folder, given with one character per byte. */
export function parseIgnoreRules(text: string, folder: RawPath, parent?: IgnoreRules): IgnoreRules {
  const lines = text.replace(/^\u00ef\u00bb\u00bf/, '').split('\n');
  const rules = lines.map(parseRule).filter((rule) => rule !== undefined);
  return { folder, rules, parent };
}

/** Whether git would ignore a path. The caller does not descend into ignored folders. */
export function isIgnored(path: RawPath, isFolder: boolean, rules: IgnoreRules): boolean {
  for (let level: IgnoreRules | undefined = rules; level !== undefined; level = level.parent) {
    const relative = level.folder === '' ? path : path.slice(level.folder.length + 1);
    const names = relative.split('/');
    const rule = level.rules.findLast((each) => applies(each, names, isFolder));
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}

function parseRule(line: string): IgnoreRule | undefined {
  let pattern = withoutTrailingSpaces(line.replace(/\r$/, ''));
  if (pattern.startsWith('#')) return undefined;
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  const globs = pattern === '' ? undefined : parseGlobs(pattern);
  if (globs === undefined) return undefined;
  return { negated, foldersOnly, anchored, parts: anchored ? withFolders(globs) : globs };
}

// A trailing `**` means everything below, so at least one more name.
function withFolders(globs: readonly Glob[]): (Glob | '**')[] {
  const parts = globs.map((glob) => (isTwoStars(glob) ? '**' : glob));
  return parts.at(-1) === '**' ? [...parts, ['many']] : parts;
}

function isTwoStars(glob: Glob): boolean {
  return glob.length >= 2 && glob.every((token) => token === 'many');
}

function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

function applies({ foldersOnly, anchored, parts }: IgnoreRule, path: readonly string[], isFolder: boolean): boolean {
  if (foldersOnly && !isFolder) return false;
  const names = anchored ? path : path.slice(-1);
  return matchesSequence(parts.length, names.length, {
    isMany: (at) => parts[at] === '**',
    matches: (at, position) => {
      const part = parts[at];
      return part !== undefined && part !== '**' && matchesGlob(part, names[position] ?? '');
    },
  });
}
