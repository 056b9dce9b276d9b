import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { nodeFiles } from '../store/index.ts';
import { type TargetProgram, targetFile, targetLines } from './make-target.ts';
import { scriptTexts } from './package-scripts.ts';
import { sourcedBy } from './sourced.ts';

/** Something that decides what a check says, and what it was like. */
export interface Guard {
  /** A file as seen from the work folder; a script of a manifest as `package.json#scripts.test`, a target as `Makefile#test`. */
  readonly path: string;
  readonly digest: string;
}

/** What to guard: words that may be files, and names of package scripts, each with the folder they are meant in. */
export interface GuardWish {
  readonly files: readonly {
    readonly folder: string;
    readonly names: readonly string[];
    readonly onlyFirst: boolean;
    /** Which of the files that are found shall be guarded; all unless given. */
    readonly fits?: (path: string) => boolean;
  }[];
  readonly targets: readonly { readonly folder: string; readonly program: TargetProgram; readonly name: string }[];
  readonly scripts: readonly { readonly folder: string; readonly name: string }[];
  /** The scripts that a script runs in turn. */
  readonly scriptsIn: (script: string) => readonly string[];
}

const mostGuards = 100;
const chunkBytes = 1024 * 1024;
// Reading more would hold up the loop for seconds: of such a file its looks have to tell.
const largestReadBytes = 256 * 1024 * 1024;
const missing = 'gone';
const inManifest = /^(.*)#scripts\.(.+)$/s;
const inTargets = /^((?:.*\/)?\.?(?:GNU|j|J)?(?:makefile|Makefile|ustfile))#(.+)$/s;

/** Takes the digests of what checks name: plain files of the work tree that are there, and scripts of packages. */
export function takeGuards(folder: string, { files, scripts, targets, scriptsIn }: GuardWish): readonly Guard[] {
  const paths = new Set<string>();
  for (const { folder: inside, names, onlyFirst, fits = () => true } of files) {
    const found = names.map((name) => filesAt(folder, path.resolve(folder, inside, name))).filter(isSome);
    for (const file of (onlyFirst ? found.slice(0, 1) : found).flat().filter(fits)) paths.add(file);
  }
  for (const script of paths) {
    for (const file of sourcedBy(folder, script).flatMap((each) => filesAt(folder, each))) paths.add(file);
  }
  for (const { folder: inside, program, name } of targets) {
    const file = targetFile(path.resolve(folder, inside), program);
    const target = `${path.join(inside, file ?? '')}#${name}`;
    if (file !== undefined && digestOf(folder, target, scriptsIn) !== missing) paths.add(target);
  }
  for (const named of scripts) {
    const manifest = path.join(named.folder, 'package.json');
    const script = `${manifest}#scripts.${named.name}`;
    if (digestOf(folder, script, scriptsIn) !== missing) paths.add(script);
  }
  return [...paths].slice(0, mostGuards).map((each) => ({ path: each, digest: digestOf(folder, each, scriptsIn) }));
}

/** Those that are not what they were: edited, deleted, or replaced by something else. */
export function changedGuards(
  folder: string,
  guards: readonly Guard[],
  scriptsIn: GuardWish['scriptsIn'],
): readonly string[] {
  return guards.filter((guard) => digestOf(folder, guard.path, scriptsIn) !== guard.digest).map((guard) => guard.path);
}

/** The same files and scripts as they are now, without those that are gone. */
export function retakeGuards(
  folder: string,
  guards: readonly Guard[],
  scriptsIn: GuardWish['scriptsIn'],
): readonly Guard[] {
  const now = guards.map((guard) => ({ path: guard.path, digest: digestOf(folder, guard.path, scriptsIn) }));
  return now.filter(({ digest }) => digest !== missing);
}

function isSome(files: readonly string[]): boolean {
  return files.length > 0;
}

/** A named file, and what it points to when it is a link: either may be edited. */
function filesAt(folder: string, file: string): readonly string[] {
  try {
    const root = treeOf(realpathSync(folder));
    const real = realpathSync(file);
    if (!statSync(file).isFile()) return [];
    const named = path.join(realpathSync(path.dirname(file)), path.basename(file));
    return [...new Set([named, real])]
      .filter((each) => isInside(root, each))
      .map((each) => path.relative(realpathSync(folder), each));
  } catch {
    return [];
  }
}

/** The repository around a folder, or the folder itself: what an agent is expected to work on. */
function treeOf(folder: string): string {
  for (let place = folder; ; place = path.dirname(place)) {
    if (existsSync(path.join(place, '.git'))) return place;
    if (place === path.dirname(place)) return folder;
  }
}

function isInside(root: string, file: string): boolean {
  return file.startsWith(root === '/' ? root : `${root}/`);
}

function digestOf(folder: string, guarded: string, scriptsIn: GuardWish['scriptsIn']): string {
  const [, targets, target] = inTargets.exec(guarded) ?? [];
  if (targets !== undefined && target !== undefined) return targetDigest(path.resolve(folder, targets), target);
  const [, manifest, script] = inManifest.exec(guarded) ?? [];
  if (manifest === undefined || script === undefined) return fileDigest(path.resolve(folder, guarded));
  const texts = scriptTexts(path.resolve(folder, manifest), script, scriptsIn);
  return texts === undefined ? missing : hash(JSON.stringify(texts));
}

/** Of the file that would be used now: another one may have come that goes before it. */
function targetDigest(file: string, target: string): string {
  const folder = path.dirname(file);
  const used = targetFile(folder, file.endsWith('ustfile') ? 'just' : 'make');
  const lines = used === undefined ? undefined : targetLines(path.join(folder, used), target);
  return lines === undefined ? missing : hash(JSON.stringify([used, lines]));
}

/** The content of a file, never what stands behind a link: a link in the place of a file is another thing. */
function fileDigest(file: string): string {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return missing;
    if (stats.isSymbolicLink()) return `link ${hash(readlinkSync(file, 'buffer'))}`;
    if (!stats.isFile()) return 'special';
    return stats.size > largestReadBytes ? `looks ${stats.size} ${stats.mtimeMs}` : contentHash(file);
  } catch {
    return missing;
  }
}

function contentHash(file: string): string {
  const digest = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const opened = nodeFiles.openToRead(file);
  try {
    for (let position = 0; ; ) {
      const length = nodeFiles.read(opened, chunk, position);
      if (length === 0) return digest.digest('hex').slice(0, 32);
      digest.update(chunk.subarray(0, length));
      position += length;
    }
  } finally {
    nodeFiles.close(opened);
  }
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
