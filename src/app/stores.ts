import path from 'node:path';
import { isAlive, selfIdentity } from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { createStore, type LoopStore } from '../store/index.ts';

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
export function openStore({ root }: LoopPlace): LoopStore {
  return createStore({ root, owner: selfIdentity(), isAlive, now: () => new Date() });
}

/** The loops of a place for one who drives them: each journal gets a second copy in the user's own state folder. */
export function openGuardedStore({ root }: LoopPlace, env: NodeJS.ProcessEnv): LoopStore {
  const mirrorRoot = mirrorRootFor(root, env);
  const mirrored = mirrorRoot === undefined ? {} : { mirrorRoot };
  return createStore({ root, owner: selfIdentity(), isAlive, now: () => new Date(), ...mirrored });
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

function mirrorRootFor(root: string, env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  if (own === undefined) return undefined;
  // Loaded on first use: a look at loops never needs it.
  const name = process.getBuiltinModule('node:crypto').hash('sha256', root).slice(0, 16);
  return path.join(own, 'mirror', name);
}

/** The folder of ralphd in the user's own state folder. */
function ownState({ XDG_STATE_HOME: chosen, HOME: home }: NodeJS.ProcessEnv): string | undefined {
  const base = chosen && path.isAbsolute(chosen) ? chosen : home && path.join(home, '.local', 'state');
  return base && path.isAbsolute(base) ? path.join(base, 'ralphd') : undefined;
}
