import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Names of one folder, `*` for anything: those of them that are there, so that a new one is noticed. */
const familyPath = /^((?:.*\/)?)\{([^{}/]*)\}$/s;
const present = 'only ';

/** The path of a guard for names of a folder. */
export function familyOf(folder: string, names: readonly string[]): string {
  return path.join(folder, `{${[...new Set(names)].sort().join(',')}}`);
}

/** The files that a family has now, seen from the work folder; nothing for a path that is none. */
export function filesOfFamily(workFolder: string, family: string): readonly string[] | undefined {
  const [, folder, names] = familyPath.exec(family) ?? [];
  if (folder === undefined || names === undefined) return undefined;
  const like = names.split(',').map((name) => new RegExp(`^${name.split('*').map(escaped).join('.*')}$`));
  return entriesOf(path.resolve(workFolder, folder))
    .filter((entry) => like.some((each) => each.test(entry)))
    .map((entry) => path.join(folder, entry));
}

/** What a family has, as the digest of its guard. */
export function familyDigest(files: readonly string[]): string {
  return `${present}${files.map((file) => path.basename(file)).join('/')}`;
}

/** The files of a family that its digest did not know. */
export function newInFamily(files: readonly string[], digest: string): readonly string[] {
  const known = new Set(digest.slice(present.length).split('/'));
  return files.filter((file) => !known.has(path.basename(file)));
}

function entriesOf(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])).sort();
  } catch {
    return [];
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
