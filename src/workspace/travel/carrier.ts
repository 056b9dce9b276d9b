import path from 'node:path';
import { putRoomFile } from '../../files/index.ts';
import type { PrivateRepository } from '../git.ts';
import { join, toRaw } from '../raw-path.ts';
import { readSmallText } from '../small-file.ts';
import { layBare, putIfDifferent } from './bare.ts';
import type { CloneCache } from './clone-cache.ts';
import { createRemote, type Remote } from './remote.ts';

/** A loop's work tree on this machine, and a repository of ours beside it that no setting of an agent affects. */
export interface Carrier {
  /** The work tree. */
  readonly top: string;
  readonly repository: PrivateRepository;
  /** What of the work tree is captured, with the times at which its files were read. */
  readonly indexFile: string;
  /** The shared repository, with the objects of the work tree to send. */
  readonly remote: Remote;
  readonly state: CarrierState;
}

/** What a work tree began with; enough to continue with it after a restart. */
export interface CarrierState {
  readonly version: 1;
  readonly loopId: string;
  /** The commit that was checked out first. */
  readonly start: string;
}

/** The parts of a carrier, by the folder that holds them. */
export function partsOf(folder: string) {
  return {
    top: path.join(folder, 'tree'),
    bare: path.join(folder, 'carrier'),
    indexFile: path.join(folder, 'carrier', 'index'),
    stateFile: path.join(folder, 'carrier', 'state.json'),
  };
}

/** Opens what `folder` holds; our repository gets its settings and the user's own rules for ignored files. */
export function openCarrier(folder: string, cache: CloneCache, setting: OpenCarrier): Carrier {
  const { top, bare, indexFile } = partsOf(folder);
  layBare(bare, { algorithm: cache.algorithm, repository: setting.repository });
  const rules = readSmallText(join(toRaw(top), '.git/info/exclude'));
  putIfDifferent(path.join(bare, 'info/exclude'), rules);
  const alternates = [path.join(top, '.git', 'objects'), cache.repository.objects];
  const repository = { folder: bare, objects: path.join(bare, 'objects'), alternates };
  const remote = createRemote(repository, setting.repository, setting.env);
  return { top, repository, indexFile, remote, state: setting.state };
}

interface OpenCarrier {
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
  readonly state: CarrierState;
}

/** Writes what the work tree began with: the last step of building it. */
export function writeState(folder: string, state: CarrierState): void {
  putRoomFile(partsOf(folder).stateFile, `${JSON.stringify(state)}\n`, 0o600);
}

/** What the work tree in a folder began with; undefined where there is none of this loop. */
export function readState(folder: string, loopId: string): CarrierState | undefined {
  const text = readSmallText(toRaw(partsOf(folder).stateFile));
  try {
    const found: unknown = JSON.parse(text);
    return isState(found) && found.loopId === loopId ? found : undefined;
  } catch {
    return undefined;
  }
}

function isState(found: unknown): found is CarrierState {
  if (typeof found !== 'object' || found === null) return false;
  const { version, loopId, start } = found as Partial<Record<keyof CarrierState, unknown>>;
  return version === 1 && typeof loopId === 'string' && typeof start === 'string';
}
