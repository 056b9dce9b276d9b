import path from 'node:path';
import { absent, type Content, createContentReader, kindOf } from './content.ts';
import { git } from './git.ts';
import { gitBlobIds } from './git-hash.ts';
import { findGitPlace } from './git-place.ts';
import { parseDiff } from './git-status.ts';
import { join, type RawPath, toRaw, toText } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';
import { uncommittedPaths } from './worktree-list.ts';

/** What files are to have, as git's mode and id; undefined for one that is to be gone. */
export type NewContents = ReadonlyMap<RawPath, Content | undefined>;

/** The files that a move changes and that are not committed. */
export interface Uncommitted {
  /** Those that already have their new content, such as after a move that was interrupted. */
  readonly settled: NewContents;
  /** Those of a continued move that are missing or have the beginning of their new content: nothing of the user's is in them. */
  readonly unfinished: NewContents;
  readonly other: readonly RawPath[];
  /** What all these have before the move. */
  readonly before: NewContents;
}

interface Change {
  readonly from: string;
  readonly to: string;
  readonly isContinued: boolean;
}

/** Finds the files of a work tree that a move would overwrite although they are not committed. */
export async function uncommittedIn(top: string, change: Change, env: NodeJS.ProcessEnv): Promise<Uncommitted> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', change.from, change.to];
  const changes = parseDiff(await git(top, { args, env }));
  const uncommitted = new Set(await uncommittedPaths(top, env));
  const root = toRaw(top);
  const affected = [...changes].filter(
    ([file, { before }]) => uncommitted.has(file) || (before === absent && kindOf(join(root, file)) !== 'absent'),
  );
  const blocked = blockingParents(root, changes);
  const before = new Map(affected.map(([file, each]) => [file, each.before === absent ? undefined : each.before]));
  if (affected.length === 0) return { settled: new Map(), unfinished: new Map(), other: blocked, before };
  const files = affected.map(([file, { after }]) => ({ file, after }));
  const present = await contentsNow(
    top,
    files.map(({ file }) => file),
    env,
  );
  const settled = new Map<RawPath, Content | undefined>();
  const unfinished = new Map<RawPath, Content | undefined>();
  const other = [...blocked];
  for (const { file, after } of files) {
    const wanted = after === absent ? undefined : after;
    if (isSame(present.get(file), wanted)) settled.set(file, wanted);
    else if (change.isContinued && (await isUnfinished({ top, file, wanted }, env))) unfinished.set(file, wanted);
    else other.push(file);
  }
  return { settled, unfinished, other: other.toSorted(), before };
}

/** What is in the place of a folder that the move needs, and is not tracked: git would replace it if it is ignored. */
function blockingParents(root: RawPath, changes: ReadonlyMap<RawPath, unknown>): RawPath[] {
  const parents = new Set<RawPath>();
  for (const file of changes.keys()) {
    for (let folder = path.posix.dirname(file); folder !== '.' && !parents.has(folder); ) {
      parents.add(folder);
      folder = path.posix.dirname(folder);
    }
  }
  const isBlocking = (place: RawPath) => !['absent', 'folder'].includes(kindOf(join(root, place)));
  return [...parents].filter((parent) => !changes.has(parent) && isBlocking(parent));
}

/** The contents of files as they are now, after git's filters; folders and what cannot be read are left out. */
async function contentsNow(
  top: string,
  files: readonly RawPath[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<RawPath, Content>> {
  const root = toRaw(top);
  const ofKind = (kind: string) => files.filter((file) => kindOf(join(root, file)) === kind);
  const { read } = createContentReader(await findGitPlace(top, env));
  const links = await Promise.all(ofKind('link').map(async (file) => [file, await read(join(root, file))] as const));
  const ids = await gitBlobIds(ofKind('file'), root, env);
  return new Map([...links, ...[...ids].map(([file, id]) => [file, `100644 ${id}`] as const)]);
}

const linkMode = '120000';
const repositoryMode = '160000';

/** Whether a file has its new content; whether it is executable does not count. */
function isSame(now: Content | undefined, wanted: Content | undefined): boolean {
  if (now === undefined || wanted === undefined) return now === wanted;
  const [mode, id] = now.split(' ');
  const [wantedMode, wantedId] = wanted.split(' ');
  return id === wantedId && (mode === linkMode) === (wantedMode === linkMode);
}

interface WantedFile {
  readonly top: string;
  readonly file: RawPath;
  readonly wanted: Content | undefined;
}

const maxComparedBytes = 256 * 1024 * 1024;

/** Whether git may have been writing a file when it died: it replaces files one by one, from their beginning. */
async function isUnfinished({ top, file, wanted }: WantedFile, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (wanted === undefined) return false;
  const place = join(toRaw(top), file);
  const kind = kindOf(place);
  if (kind === 'absent') return true;
  const [mode = '', id = ''] = wanted.split(' ');
  if (mode === repositoryMode) return kind === 'folder';
  if (kind !== 'file' || mode === linkMode) return false;
  const found = readSmallFile(place, maxComparedBytes);
  const whole = await git(top, { args: ['cat-file', '--filters', `--path=${toText(file)}`, id], env });
  return found !== undefined && found.length < whole.length && whole.subarray(0, found.length).equals(found);
}
