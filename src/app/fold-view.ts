import type { StoredView } from '../protocol/index.ts';
import { viewOf } from '../views/index.ts';
import { type FoundState, foldState } from './adapters/fold-state.ts';

/** The view that snapshot and journal add up to, for a loop whose owner has written none that is up to date. */
export function foldView(found: FoundState): StoredView {
  return viewOf(foldState(found));
}
