import type { StoredView } from '../../protocol/index.ts';
import type { LoopOnDisk } from '../../store/index.ts';
import { viewOf } from '../../views/index.ts';
import { foldState } from './fold-state.ts';

/** The view of a loop, from its facts. */
export function makeView(found: LoopOnDisk): StoredView {
  return viewOf(foldState(found));
}
