import path from 'node:path';
import { type Content, createContentReader, GONE } from './content.ts';
import { git } from './git.ts';
import { idsAsGitStores } from './git-hash.ts';
import { type GitState, readWork } from './git-state.ts';
import { parseDiff } from './git-status.ts';
import { isUnder, join, type RawPath, toText } from './raw-path.ts';

/** What one path had, and has now; the two may be the same. */
export interface Change {
  readonly path: RawPath;
  readonly was: Content;
  readonly is: Content;
}

/** A repository as seen from a folder in it. */
type SeenState = GitState & { readonly folder: RawPath; readonly excluded: readonly RawPath[] };

/** What changed in a repository, seen from the work folder; the second state has to be the present one. */
export async function gitChanges(before: SeenState, after: SeenState, env: NodeJS.ProcessEnv): Promise<Change[]> {
  const commits = await commitChanges(before, after, env);
  const reader = createContentReader({ algorithm: after.algorithm, known: after.cache });
  const changes: Change[] = [];
  // Of these it is only known what the commit had.
  const unread: Change[] = [];
  for (const file of union(before.differing, after.differing, commits)) {
    const old = before.differing.get(file);
    const now = after.differing.get(file);
    const heads = commits.get(file);
    // A path that a fingerprint does not list is as its HEAD has it; what the two HEADs have comes from git.
    const was = old?.work ?? heads?.before ?? now?.head ?? GONE;
    const committed = now?.work ?? heads?.after ?? old?.head ?? GONE;
    // Not listed any more, it may be committed, or ignored: then it is there all the same.
    const isOnDisk = now === undefined && (old !== undefined || committed === GONE);
    const is = isOnDisk
      ? await readWork(join(after.root, file), reader.read, { env, excluded: after.excluded })
      : committed;
    if (was === is) continue;
    (old === undefined && (isOnDisk || now !== undefined) ? unread : changes).push({ path: file, was, is });
  }
  const real = [...changes, ...(await withoutFiltered(unread, after, env))];
  return real.map((change) => ({ ...change, path: seenFrom(after, change.path) }));
}

/** All paths that some of the maps have. */
export function union(...maps: readonly ReadonlyMap<RawPath, unknown>[]): RawPath[] {
  return [...new Set(maps.flatMap((map) => [...map.keys()]))];
}

async function commitChanges(before: SeenState, after: SeenState, env: NodeJS.ProcessEnv) {
  if (before.head === after.head) return new Map<RawPath, { before: Content; after: Content }>();
  const commits = [before.head, after.head].map((head) => head ?? emptyTree(after.algorithm));
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', ...commits];
  const changes = parseDiff(await git(toText(after.folder), { args, env }));
  for (const file of changes.keys()) if (isUnder(join(after.root, file), after.excluded)) changes.delete(file);
  return changes;
}

// Before the first commit there is nothing: git knows this tree in every repository, under one name per format.
function emptyTree(algorithm: string): string {
  return algorithm === 'sha256'
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
}

/** Leaves out files whose bytes differ from the commit's only by a filter, such as one for line ends. */
async function withoutFiltered(changes: readonly Change[], { root }: GitState, env: NodeJS.ProcessEnv) {
  const isFile = (content: Content) => content.startsWith('100');
  const doubtful = changes.filter(({ was, is }) => isFile(was) && isFile(is)).map(({ path }) => path);
  const ids = await idsAsGitStores(doubtful, root, env);
  return changes.filter(({ path, was, is }) => `${is.split(' ')[0]} ${ids.get(path)}` !== was);
}

function seenFrom(place: SeenState, file: RawPath): RawPath {
  return path.posix.relative(place.folder, join(place.root, file));
}
