import path from 'node:path';
import { failures, LoopError, type LoopNames, resolveLoopId } from '../base/index.ts';
import { nodeFiles } from '../files/index.ts';
import { loopsInMirror, readMirroredFacts } from '../store/index.ts';
import { vault } from './keys.ts';
import { type LoopPlace, mirrorRootFor, openStore } from './stores.ts';

/** Where to look for a lost loop. */
export interface LostSearch {
  readonly place: LoopPlace;
  readonly env: NodeJS.ProcessEnv;
  /** The loop that a user named; the only one, if none was named. */
  readonly query?: string | undefined;
}

/**
 * Loops whose folder is gone but whose journal has a copy: a resume restores them. `known` are the existing loops, for a
 * caller that has listed them.
 */
export function lostLoops(
  place: LoopPlace,
  env: NodeJS.ProcessEnv,
  known: readonly string[] = openStore(place).list(),
): readonly string[] {
  const mirrorRoot = mirrorRootFor(place.root, env);
  return mirrorRoot === undefined ? [] : loopsInMirror(nodeFiles, mirrorRoot, new Set(known));
}

/** Finds a loop; if it is missing but can be restored, the error says how. */
export async function orLost<Result>(find: () => Result | Promise<Result>, search: LostSearch): Promise<Result> {
  return await orElse(find, (error) => {
    const lost = findLost(search);
    throw lost === undefined ? error : new LoopError(failures.loopFolderGone(lost), { cause: error });
  });
}

/** The id of the loop to continue: an existing one or, if the user means none of these, one that can be restored. */
export async function idOrLost(find: () => string, search: LostSearch): Promise<string> {
  return await orElse(find, (error) => {
    const lost = findLost(search);
    if (lost === undefined) throw error;
    return lost;
  });
}

async function orElse<Result>(
  find: () => Result | Promise<Result>,
  missing: (error: LoopError) => Result,
): Promise<Result> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof LoopError) || !['LOOP_NOT_FOUND', 'NO_LOOPS'].includes(error.failure.code)) throw error;
    return missing(error);
  }
}

/** The lost loop that a user means, by the names that every loop has. */
function findLost({ place, env, query }: LostSearch): string | undefined {
  const lost = lostLoops(place, env);
  if (query === undefined) {
    if (lost.length > 1) throw new LoopError(failures.loopNotGiven(lost.join(', ')));
    return lost[0];
  }
  const match = resolveLoopId(
    query,
    lost.map((loopId) => namesOf(loopId, { place, env })),
  );
  if (match.kind === 'ambiguous') throw new LoopError(failures.loopAmbiguous(query, match.candidates.join(', ')));
  return match.kind === 'none' ? undefined : match.id;
}

/** The names of a lost loop, from the copy of its first fact; a copy that is damaged or cannot be unlocked leaves it its id. */
function namesOf(id: string, { place, env }: LostSearch): LoopNames {
  const mirrorRoot = mirrorRootFor(place.root, env);
  if (mirrorRoot === undefined) return { id, uuid: '' };
  const folder = path.join(place.root, 'loops', id);
  const locked = vault.loopAt({ files: nodeFiles, loopId: id, folder, mirror: path.join(mirrorRoot, id) });
  try {
    for (const { type, data, at } of readMirroredFacts(locked?.files ?? nodeFiles, mirrorRoot, id)) {
      if (type !== 'loop.started') continue;
      const { uuid }: Record<string, unknown> = { ...(data as object) };
      return { id, uuid: typeof uuid === 'string' ? uuid : '', startedAt: at };
    }
  } catch (error) {
    if (locked === undefined || !(error instanceof LoopError)) throw error;
  }
  return { id, uuid: '' };
}
