import type { OpenLoop } from '../open-loop.ts';
import { documentOf } from './stores.ts';

/** Writes a checkpoint of everything recorded so far, as the layers above would. */
export function checkpointOf(loop: OpenLoop, iteration: number): string {
  const { position } = loop;
  if (!position) throw new Error('nothing has been recorded');
  const document = documentOf(iteration);
  const wrap = (snapshot: object) => ({ checkpoint_id: `c${iteration}`, ralphd: { snapshot } });
  return loop.writeCheckpoint({ iteration, document, position, wrap });
}
