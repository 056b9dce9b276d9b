import path from 'node:path';
import { protectionOf } from '../../protocol/index.ts';
import { createPathMatcher, joinRaw, type RawPath, toRaw, toText } from '../../workspace/index.ts';
import { type Candidate, type CandidateFile, type Refusal, readCandidate } from '../candidate/candidate.ts';
import { type GitNames, namesFromGit } from '../candidate/git-files.ts';
import type { GateSetting } from '../setting.ts';
import { entriesIn } from './copy-tree.ts';
import { changedDependencies, type DependencyDigests, dependencyDigest, type Reinstall } from './dependencies.ts';
import { findDependencies, isInsideAny } from './dependency-folders.ts';
import type { Environment } from './environment.ts';
import { listed, obstacles, SealedObstacle } from './obstacles.ts';
import type { Room } from './room.ts';

export interface WorkPlace {
  readonly setting: GateSetting;
  /** The top of the work tree. */
  readonly top: string;
  /** The work folder, relative to the top. */
  readonly prefix: string;
}

/** The work as read for one gate. */
export interface Work {
  readonly candidate: Candidate;
  readonly names: GitNames;
  readonly digests: DependencyDigests;
}

/** Copies the work into a room, without the folders that come from the snapshot. */
export async function readInto(room: Room, environment: Environment, place: WorkPlace): Promise<Work> {
  const { setting, top } = place;
  const names = await namesFromGit(top, setting.env);
  const folders = new Set(environment.folders);
  const isReplaced = replacedFiles(environment, place);
  const digests: Record<RawPath, string> = {};
  const receive = (file: CandidateFile, bytes: Buffer) => {
    if (isInsideAny(file.path, folders)) return;
    const digest = dependencyDigest(file.path, bytes);
    if (digest !== undefined) digests[file.path] = digest;
    if (!isReplaced(file.path)) room.receive(file, bytes);
  };
  const candidate = readCandidate(top, { exclude: setting.own ?? [], names, receive });
  for (const entry of environment.protectedFiles ?? [])
    room.putProtected(entry, path.join(environment.folder, 'protected'));
  room.removeStale();
  return { candidate, names, digests };
}

/** With strict protection the checks get the original protected files, and none that were added later. */
function replacedFiles({ protectedFiles }: Environment, { setting, prefix }: WorkPlace): (file: RawPath) => boolean {
  if (protectedFiles === undefined) return () => false;
  const isProtected = createPathMatcher(protectionOf(setting.config.protect).paths);
  return (file) => isProtected(path.relative(prefix, toText(file)));
}

const reasons: Readonly<Record<Refusal['reason'], string>> = {
  link_out: 'is a link that leads out of the work tree',
  special: 'is neither a file nor a folder nor a link',
  unreadable: 'cannot be read',
  too_large: 'is too large to read',
};

/** Why the work cannot be judged, worded for the agent, who can fix it; undefined where it can be judged. */
export function refusalOf({ candidate, names }: Work, environment: Environment): string | undefined {
  const folders = new Set(environment.folders);
  const refused = candidate.refused.filter(({ path: file }) => !isAtOrIn(toRaw(file), folders));
  const [first] = refused;
  if (first !== undefined) return `${first.path} ${reasons[first.reason]}${moreText(refused.length - 1)}`;
  const tracked = new Set(names.tracked);
  const added = candidate.files.filter((file) => tracked.has(file.path) && isInsideAny(file.path, folders));
  if (added.length === 0) return undefined;
  const files = added.map((file) => toText(file.path));
  return `these files were added to git inside folders of installed dependencies, which the checks get from the snapshot: ${listed(files)}`;
}

function moreText(count: number): string {
  return count > 0 ? ` (and ${count} more ${count === 1 ? 'path' : 'paths'} like it)` : '';
}

function isAtOrIn(file: RawPath, folders: ReadonlySet<RawPath>): boolean {
  return folders.has(file) || isInsideAny(file, folders);
}

/** The dependencies to install again; throws an obstacle where no command is known. */
export function reinstallsFor(work: Work, environment: Environment, place: WorkPlace): readonly Reinstall[] {
  const { setting, top, prefix } = place;
  const files = work.candidate.files.map((file) => file.path);
  const tracked = new Set(work.names.tracked);
  const now = findDependencies({ top, files, tracked, share: [], prefix }).folders.filter((folder) =>
    isFilled(top, folder),
  );
  const before = { digests: environment.dependencies, folders: environment.folders };
  const changed = changedDependencies(before, { digests: work.digests, folders: now }, files);
  const unknown = setting.config.setup === undefined ? changed.filter(({ command }) => command === undefined) : [];
  if (unknown.length === 0) return changed;
  throw new SealedObstacle(obstacles.dependenciesChanged(unknown.flatMap(({ causes }) => causes.map(toText))));
}

/** Tools also create such folders for their caches, which contain only hidden names. */
function isFilled(top: string, folder: RawPath): boolean {
  return entriesIn(joinRaw(toRaw(top), folder)).some(({ name }) => !name.startsWith('.'));
}
