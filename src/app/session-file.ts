import path from 'node:path';
import { type LoopPlace, nameOfRoot, ownState } from './stores.ts';

/** Where a server keeps who is signed in: for one project, or for all of this user; undefined if there is no folder for it. */
export function sessionFileOf(place: Pick<LoopPlace, 'root'> | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  const name = place === undefined ? 'all' : nameOfRoot(place.root);
  return own === undefined ? undefined : path.join(own, 'serve', `${name}.json`);
}
