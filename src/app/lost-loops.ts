import { failures, LoopError } from '../base/index.ts';
import { nodeFiles } from '../files/index.ts';
import { loopsInMirror } from '../store/index.ts';
import { type LoopPlace, mirrorRootFor, openStore } from './stores.ts';

/** Loops whose folder is gone but whose journal has a copy: a resume restores them. */
export function lostLoops(place: LoopPlace, env: NodeJS.ProcessEnv): readonly string[] {
  const mirrorRoot = mirrorRootFor(place.root, env);
  if (mirrorRoot === undefined) return [];
  const store = openStore(place);
  return loopsInMirror(nodeFiles, mirrorRoot).filter((loopId) => !store.has(loopId));
}

/** Finds a loop; if it is missing but can be restored, the error says how. */
export async function orLost<Result>(
  find: () => Result | Promise<Result>,
  {
    place,
    env,
    query,
  }: { readonly place: LoopPlace; readonly env: NodeJS.ProcessEnv; readonly query?: string | undefined },
): Promise<Result> {
  try {
    return await find();
  } catch (error) {
    const isMissing = error instanceof LoopError && ['LOOP_NOT_FOUND', 'NO_LOOPS'].includes(error.failure.code);
    const [lost] = isMissing ? lostLoops(place, env).filter((loopId) => isMeant(loopId, query)) : [];
    throw lost === undefined ? error : new LoopError(failures.loopFolderGone(lost), { cause: error });
  }
}

function isMeant(loopId: string, query: string | undefined): boolean {
  return query === undefined || loopId.startsWith(query) || loopId.startsWith(`ralph-${query}`);
}
