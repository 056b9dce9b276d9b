import { hash, randomBytes } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makePrivateFolder, makeRoomFolder, putRoomFile, putRoomLink, removeRoomEntry } from '../../files/index.ts';
import { type CheckCommand, type LoopConfig, type Obstacle, protectionOf } from '../../protocol/index.ts';
import { createPathMatcher, joinRaw, type RawPath, toBytes, toRaw, toText } from '../../workspace/index.ts';
import { type Candidate, type CandidateFile, type CandidateOptions, readCandidate } from '../candidate/candidate.ts';
import { type CopiedEntry, copyTree } from './copy-tree.ts';
import { type DependencyDigests, dependencyDigest } from './dependencies.ts';
import { findDependencies } from './dependency-folders.ts';
import { type Stamps, stampPlaces, stampPrograms } from './stamps.ts';
import { homeSettings, type SharedPlaces, sharedPlaces } from './tool-homes.ts';

/** Everything that sealed checks need besides the work, as it was before any agent ran. */
export interface Environment {
  /** The folder with the copies: `tree/`, `home/` and `protected/`. */
  readonly folder: string;
  /** Dependency folders, relative to the top of the work tree. */
  readonly folders: readonly RawPath[];
  /** The entries below `tree/`: those folders, and ignored files that checks read. */
  readonly entries: readonly CopiedEntry[];
  /** Settings of tools, below `home/`. */
  readonly settings: readonly CopiedEntry[];
  /** The original protected files, below `protected/`, under strict protection. */
  readonly protectedFiles?: readonly CopiedEntry[] | undefined;
  readonly shared: SharedPlaces;
  /** Files of shared places. */
  readonly stamps: Stamps;
  readonly programs: Stamps;
  readonly dependencies: DependencyDigests;
}

/** A snapshot as its fact records it. */
export interface CapturedEnvironment {
  readonly id: string;
  readonly digest: string;
  readonly folders: readonly string[];
  readonly files: number;
  readonly bytes: number;
  readonly durationMs: number;
}

interface CaptureRequest {
  /** The folder of this loop's gate. */
  readonly place: string;
  /** The top of the work tree. */
  readonly top: string;
  /** The work folder, relative to the top. */
  readonly prefix: string;
  readonly config: LoopConfig;
  readonly checks: readonly CheckCommand[];
  readonly env: NodeJS.ProcessEnv;
  readonly reading: CandidateOptions;
}

const manifestName = 'manifest.json';

/** Copies everything that sealed checks need besides the work to a place outside the work tree. */
export async function captureEnvironment(request: CaptureRequest): Promise<CapturedEnvironment> {
  const startedAt = performance.now();
  const { place, top, prefix, config, env } = request;
  removeOldSnapshots(place);
  const id = `environment-${randomBytes(4).toString('hex')}`;
  const folder = path.join(place, id);
  for (const part of ['tree', 'home', 'protected']) makePrivateFolder(path.join(folder, part));
  const { candidate, ...read } = readWork(request, folder);
  const tracked = new Set(request.reading.names?.tracked);
  const files = candidate.files.map((file) => file.path);
  const found = findDependencies({ top, files, tracked, share: config.verifyShare, prefix });
  const entries = await copyAll([...found.folders, ...found.files], top, path.join(folder, 'tree'));
  const home = env['HOME'];
  const settings = home === undefined ? [] : await copyAll(homeSettings.map(toRaw), home, path.join(folder, 'home'));
  const fileNames = new Set(files.map((file) => path.posix.basename(file)));
  const share = config.verifyShare.filter((each) => path.isAbsolute(each));
  const shared = sharedPlaces({ env, top, checks: request.checks, fileNames, share });
  const manifest: Omit<Environment, 'folder'> = {
    folders: found.folders,
    entries,
    settings,
    ...(protectionOf(config.protect).mode === 'strict' ? { protectedFiles: read.protectedFiles } : {}),
    shared,
    stamps: stampPlaces(shared.places),
    programs: currentPrograms(env, top),
    dependencies: read.dependencies,
  };
  const text = JSON.stringify(manifest);
  putRoomFile(path.join(folder, manifestName), text, 0o600);
  const copied = [...entries, ...settings, ...read.protectedFiles].filter((entry) => entry.kind === 'file');
  return {
    id,
    digest: hash('sha256', text),
    folders: found.folders.map(toText),
    files: copied.length,
    bytes: copied.reduce((sum, { size }) => sum + size, 0),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/** Reads the manifest of a snapshot; an obstacle where its digest is not the one in the journal. */
export function openEnvironment(place: string, { id, digest }: { id: string; digest: string }): Environment | Obstacle {
  const folder = path.join(place, id);
  try {
    const text = readFileSync(path.join(folder, manifestName));
    if (hash('sha256', text) === digest)
      return { folder, ...(JSON.parse(text.toString()) as Omit<Environment, 'folder'>) };
  } catch {
    // An unreadable manifest is reported below.
  }
  return environmentDamaged(path.join(folder, manifestName));
}

/** A part of the snapshot is missing or was changed. */
export function environmentDamaged(file: string): Obstacle {
  return {
    code: 'ENVIRONMENT_DAMAGED',
    message: `${file}, a part of the snapshot for the sealed checks, is missing or was changed.`,
    fix: 'Check that the dependencies and settings are right, then resume with "--accept-gate", which takes a new snapshot.',
  };
}

/** The programs that the checks find on the PATH now. */
export function currentPrograms(env: NodeJS.ProcessEnv, top: string): Stamps {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((each) => path.isAbsolute(each));
  const outside = folders.filter((each) => each !== top && !each.startsWith(`${top}/`));
  return stampPrograms([...new Set(outside)], isWritable);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Reads the work before any agent runs: the digests of its dependencies, and copies of protected files. */
function readWork(request: CaptureRequest, folder: string) {
  const { top, prefix, config, reading } = request;
  const { mode, paths } = protectionOf(config.protect);
  const isProtected = createPathMatcher(paths);
  const dependencies: Record<RawPath, string> = {};
  const protectedFiles: CopiedEntry[] = [];
  const receive = (file: CandidateFile, bytes: Buffer) => {
    const digest = dependencyDigest(file.path, bytes);
    if (digest !== undefined) dependencies[file.path] = digest;
    if (mode !== 'strict' || !isProtected(path.relative(prefix, toText(file.path)))) return;
    protectedFiles.push(save(file, bytes, toRaw(path.join(folder, 'protected'))));
  };
  const candidate: Candidate = readCandidate(top, { ...reading, receive });
  return { candidate, dependencies, protectedFiles };
}

function save({ path: file, mode, size }: CandidateFile, bytes: Buffer, place: RawPath): CopiedEntry {
  const target = toBytes(joinRaw(place, file));
  makeRoomFolder(toBytes(path.posix.dirname(joinRaw(place, file))), 0o700);
  if (mode === '120000') {
    putRoomLink(target, bytes);
    return { path: file, kind: 'link', target: bytes.toString('latin1') };
  }
  const permissions = mode === '100755' ? 0o755 : 0o644;
  putRoomFile(target, bytes, permissions);
  return { path: file, kind: 'file', mode: permissions, size, mtimeMs: Date.now(), digest: hash('sha256', bytes) };
}

async function copyAll(paths: readonly RawPath[], from: string, to: string): Promise<readonly CopiedEntry[]> {
  const entries: CopiedEntry[] = [];
  for (const each of paths) {
    makeRoomFolder(toBytes(path.posix.dirname(joinRaw(toRaw(to), each))));
    for await (const entry of copyTree(each, { from: toRaw(from), to: toRaw(to) })) entries.push(entry);
  }
  return entries;
}

/** A snapshot that was not recorded, or that a new one replaces, is useless. */
function removeOldSnapshots(place: string): void {
  makePrivateFolder(place);
  for (const name of readdirSync(place)) removeRoomEntry(path.join(place, name));
}
