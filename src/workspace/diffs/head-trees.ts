import { git, type PrivateRepository } from '../git.ts';
import { type RawPath, toBytes } from '../raw-path.ts';
import { Unreadable } from '../unreadable.ts';

/** A tree object of a commit. */
export interface HeadTree {
  readonly id: string;
  readonly bytes: Buffer;
}

/** A folder of a commit; the empty path is its top. */
export interface HeadFolder {
  readonly head: string;
  readonly folder: RawPath;
}

/** The folders of commits as git stores them. */
export interface HeadTrees {
  /** Reads what is not known yet, all at once. */
  load(repository: PrivateRepository, folders: readonly HeadFolder[]): Promise<void>;
  /** A folder that was loaded; undefined where the commit has none of this name. */
  get(wanted: HeadFolder): HeadTree | undefined;
  /** Forgets all but one commit. */
  keepOnly(head: string | null): void;
}

/** Reads folders of commits, each of them once. */
export function createHeadTrees(env: NodeJS.ProcessEnv, timeoutMs: number): HeadTrees {
  const known = new Map<string, HeadTree | undefined>();
  return {
    async load(repository, folders) {
      const names = [...new Set(folders.map(nameOf))].filter((name) => !known.has(name));
      if (names.length === 0) return;
      // Only a newer git reads names with a line break.
      const [end, ...flags] = names.some((name) => name.includes('\n')) ? ['\0', '-z'] : ['\n'];
      const input = toBytes(names.map((name) => `${name}${end}`).join(''));
      const args = ['cat-file', '--batch', ...flags];
      const printed = await git(repository.folder, { args, env, repository, input, timeoutMs });
      let at = 0;
      for (const name of names) {
        const answer = parseAnswer(printed, at, name);
        known.set(name, answer.tree);
        at = answer.end;
      }
    },
    get: (wanted) => known.get(nameOf(wanted)),
    keepOnly(head) {
      for (const name of known.keys()) if (head === null || !name.startsWith(head)) known.delete(name);
    },
  };
}

function nameOf({ head, folder }: HeadFolder): string {
  return folder === '' ? `${head}^{tree}` : `${head}:${folder}`;
}

/** Reads `<id> tree <size>`, the object and a line break; or `<name> missing`. */
function parseAnswer(printed: Buffer, at: number, name: string) {
  const missing = toBytes(`${name} missing\n`);
  if (printed.subarray(at, at + missing.length).equals(missing)) return { tree: undefined, end: at + missing.length };
  const start = printed.indexOf('\n', at) + 1;
  const [, id, kind, size] = /^([0-9a-f]+) (\w+) (\d+)\n$/.exec(printed.toString('latin1', at, start)) ?? [];
  if (id === undefined) throw new Unreadable(`git cat-file did not show ${name}`);
  const end = start + Number(size);
  // A file in place of a folder has no entries.
  return { tree: kind === 'tree' ? { id, bytes: printed.subarray(start, end) } : undefined, end: end + 1 };
}
