import path from 'node:path';
import { sha256 } from '../base/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { type LoopFolders, openLoopFolders } from '../store/index.ts';
import type { LoopLocation, Wanted } from '../vault/index.ts';
import type { DiffPlace } from '../workspace/index.ts';
import { vault } from './keys.ts';
import { type Machine, thisMachine } from './machine.ts';

/** Where a project's loops are stored. */
export interface LoopPlace {
  readonly workingDirectory: string;
  /** The state folder, absolute. */
  readonly root: string;
}

/** The place that a configuration names, relative to a folder. */
export function placeOf(config: Pick<LoopConfig, 'workingDir' | 'stateDir'>, cwd: string): LoopPlace {
  const workingDirectory = path.resolve(cwd, config.workingDir);
  return { workingDirectory, root: path.resolve(workingDirectory, config.stateDir) };
}

/** The loops of a place. */
export function openStore({ root }: Pick<LoopPlace, 'root'>): LoopFolders {
  return openLoopFolders({ root, ...machineOptions(thisMachine) });
}

/**
 * The loops of a place for their owner: each journal gets a second copy in the user's state folder. New loops are
 * encrypted if that is wanted.
 */
export function openGuardedStore({ root }: LoopPlace, env: NodeJS.ProcessEnv, wanted?: Wanted): LoopFolders {
  const mirrorRoot = mirrorRootFor(root, env);
  const mirrored = mirrorRoot === undefined ? {} : { mirrorRoot };
  const newLoopAt = wanted && { newLoopAt: (location: LoopLocation) => vault.newLoopAt(location, wanted) };
  const protection = { loopAt: vault.loopAt, ...newLoopAt };
  return openLoopFolders({ root, ...machineOptions(thisMachine), ...mirrored, protection });
}

function machineOptions({ self, livenessOf, clock }: Machine) {
  return { owner: self(), livenessOf, now: () => new Date(clock.nowMs()), protection: { loopAt: vault.loopAt } };
}

/** All folders that ralphd writes for the loops of a place. */
export function ownFolders({ root }: Pick<LoopPlace, 'root'>, env: NodeJS.ProcessEnv): readonly string[] {
  return [root, mirrorRootFor(root, env), gatesRoot(env)].filter((folder) => folder !== undefined);
}

/** Where sealed gates store what they need: outside the work tree, in the user's state folder. */
export function gatesRoot(env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  return own === undefined ? undefined : path.join(own, 'gates');
}

/** Where a loop stores the diffs of its runs. */
export function diffPlaceOf(
  { folder, workingDirectory }: { readonly folder: string; readonly workingDirectory: string },
  env: NodeJS.ProcessEnv,
): DiffPlace {
  return { objects: path.join(folder, 'diffs'), within: folder, workingDirectory, env };
}

/** Where the second copy of a loop's journal is; undefined if there is no folder for it. */
export function mirrorFolder(
  { root }: Pick<LoopPlace, 'root'>,
  env: NodeJS.ProcessEnv,
  loopId: string,
): string | undefined {
  const mirrorRoot = mirrorRootFor(root, env);
  return mirrorRoot === undefined ? undefined : path.join(mirrorRoot, loopId);
}

/** Where the second copies of a state folder's journals are; undefined if there is no folder for them. */
export function mirrorRootFor(root: string, env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  if (own === undefined) return undefined;
  return path.join(own, 'mirror', nameOfRoot(root));
}

/** A unique name for a state folder. */
export function nameOfRoot(root: string): string {
  return sha256(root).slice(0, 16);
}

/** ralphd's folder in the user's state folder. */
export function ownState({ XDG_STATE_HOME: chosen, HOME: home }: NodeJS.ProcessEnv): string | undefined {
  const base = chosen && path.isAbsolute(chosen) ? chosen : home && path.join(home, '.local', 'state');
  return base && path.isAbsolute(base) ? path.join(base, 'ralphd') : undefined;
}
