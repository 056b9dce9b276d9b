import path from 'node:path';
import { absent, type Content, createContentReader } from './content.ts';
import { git } from './git.ts';
import { gitBlobIds } from './git-hash.ts';
import { type GitState, readWork } from './git-state.ts';
import { parseDiff } from './git-status.ts';
import { isUnder, join, type RawPath, toText } from './raw-path.ts';

/** The contents of one path before and after; the two may be equal. */
export interface Change {
  readonly path: RawPath;
  readonly before: Content;
  readonly after: Content;
}

/** The state of a repository, and the work folder inside it. */
type FolderState = GitState & { readonly folder: RawPath; readonly excluded: readonly RawPath[] };

/** What changed in a repository, with paths relative to the work folder; `after` must be the present state. */
export async function gitChanges(before: FolderState, after: FolderState, env: NodeJS.ProcessEnv): Promise<Change[]> {
  const commits = await commitChanges(before, after, env);
  const reader = createContentReader({ algorithm: after.algorithm, known: after.cache });
  const changes: Change[] = [];
  // Changes whose old content is known only as a blob id of a commit.
  const comparedById: Change[] = [];
  for (const file of union(before.differing, after.differing, commits)) {
    const old = before.differing.get(file);
    const now = after.differing.get(file);
    const heads = commits.get(file);
    // A path that a fingerprint does not list equals its HEAD; git says what the two HEADs contain.
    const oldContent = old?.work ?? heads?.before ?? now?.head ?? absent;
    const committed = now?.work ?? heads?.after ?? old?.head ?? absent;
    // No longer listed, it may be committed or ignored: in both cases it may still exist.
    const isOnDisk = now === undefined && (old !== undefined || committed === absent);
    const newContent = isOnDisk
      ? await readWork(join(after.root, file), reader.read, { env, excluded: after.excluded })
      : committed;
    if (oldContent === newContent) continue;
    const list = old === undefined && (isOnDisk || now !== undefined) ? comparedById : changes;
    list.push({ path: file, before: oldContent, after: newContent });
  }
  const real = [...changes, ...(await withoutFiltered(comparedById, after, env))];
  return real.map((change) => ({ ...change, path: relativeToFolder(after, change.path) }));
}

export function union(...maps: readonly ReadonlyMap<RawPath, unknown>[]): RawPath[] {
  return [...new Set(maps.flatMap((map) => [...map.keys()]))];
}

async function commitChanges(before: FolderState, after: FolderState, env: NodeJS.ProcessEnv) {
  if (before.head === after.head) return new Map<RawPath, { before: Content; after: Content }>();
  const commits = [before.head, after.head].map((head) => head ?? emptyTree(after.algorithm));
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', ...commits];
  const changes = parseDiff(await git(toText(after.folder), { args, env }));
  for (const file of changes.keys()) if (isUnder(join(after.root, file), after.excluded)) changes.delete(file);
  return changes;
}

// Stands for HEAD before the first commit: git knows the empty tree in every repository, by one id per hash format.
function emptyTree(algorithm: string): string {
  return algorithm === 'sha256'
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
}

/** Leaves out files whose bytes differ from the commit's only by a git filter, such as line-ending conversion. */
async function withoutFiltered(changes: readonly Change[], { root }: GitState, env: NodeJS.ProcessEnv) {
  const isFile = (content: Content) => content.startsWith('100');
  const files = changes.filter(({ before, after }) => isFile(before) && isFile(after)).map((change) => change.path);
  const ids = await gitBlobIds(files, root, env);
  return changes.filter((change) => `${change.after.split(' ')[0]} ${ids.get(change.path)}` !== change.before);
}

function relativeToFolder({ folder, root }: FolderState, file: RawPath): RawPath {
  return path.posix.relative(folder, join(root, file));
}
