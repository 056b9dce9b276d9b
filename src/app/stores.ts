import path from 'node:path';
import { sha256 } from '../base/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { type LoopFolders, openLoopFolders } from '../store/index.ts';
import type { DiffPlace } from '../workspace/index.ts';
import { type Machine, thisMachine } from './machine.ts';

/** Where a project's loops live. */
export interface LoopPlace {
  readonly workingDirectory: string;
  /** The state folder, absolute. */
  readonly root: string;
}

/** The place a configuration names, seen from a folder. */
export function placeOf(config: Pick<LoopConfig, 'workingDir' | 'stateDir'>, cwd: string): LoopPlace {
  const workingDirectory = path.resolve(cwd, config.workingDir);
  return { workingDirectory, root: path.resolve(workingDirectory, config.stateDir) };
}

/** The loops of a place, as this process sees them. */
export function openStore({ root }: Pick<LoopPlace, 'root'>): LoopFolders {
  return openLoopFolders({ root, ...seenFrom(thisMachine) });
}

/** The loops of a place for one who drives them: each journal gets a second copy in the user's own state folder. */
export function openGuardedStore({ root }: LoopPlace, env: NodeJS.ProcessEnv): LoopFolders {
  const mirrorRoot = mirrorRootFor(root, env);
  const mirrored = mirrorRoot === undefined ? {} : { mirrorRoot };
  return openLoopFolders({ root, ...seenFrom(thisMachine), ...mirrored });
}

function seenFrom({ self, livenessOf, clock }: Machine) {
  return { owner: self(), livenessOf, now: () => new Date(clock.nowMs()) };
}

/** Everything in the world that ralphd itself writes for the loops of a place. */
export function ownFolders({ root }: Pick<LoopPlace, 'root'>, env: NodeJS.ProcessEnv): readonly string[] {
  return [root, mirrorRootFor(root, env), gatesRoot(env)].filter((folder) => folder !== undefined);
}

/** Where sealed gates keep what they need: outside of the work tree, in the user's own state folder. */
export function gatesRoot(env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  return own === undefined ? undefined : path.join(own, 'gates');
}

/** Where a loop keeps what its runs changed. */
export function diffPlaceOf(
  { folder, workingDirectory }: { readonly folder: string; readonly workingDirectory: string },
  env: NodeJS.ProcessEnv,
): DiffPlace {
  return { objects: path.join(folder, 'diffs'), within: folder, workingDirectory, env };
}

/** Where the second copy of a loop's journal is; undefined where there is no folder for it. */
export function mirrorFolder(
  { root }: Pick<LoopPlace, 'root'>,
  env: NodeJS.ProcessEnv,
  loopId: string,
): string | undefined {
  const mirrorRoot = mirrorRootFor(root, env);
  return mirrorRoot === undefined ? undefined : path.join(mirrorRoot, loopId);
}

/** Where the second copies of the journals of a state folder are; undefined where there is no folder for them. */
export function mirrorRootFor(root: string, env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  if (own === undefined) return undefined;
  return path.join(own, 'mirror', nameOfRoot(root));
}

/** A name for a state folder, other than that of every other. */
export function nameOfRoot(root: string): string {
  return sha256(root).slice(0, 16);
}

/** The folder of ralphd in the user's own state folder. */
export function ownState({ XDG_STATE_HOME: chosen, HOME: home }: NodeJS.ProcessEnv): string | undefined {
  const base = chosen && path.isAbsolute(chosen) ? chosen : home && path.join(home, '.local', 'state');
  return base && path.isAbsolute(base) ? path.join(base, 'ralphd') : undefined;
}
