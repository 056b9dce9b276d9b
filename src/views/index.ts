export { addFact, countsOf, type History, noHistory, refusedIn, rowsOf, type ShownRow } from './history.ts';
export { addPulse, type Live, nothingLive, runOf, type SeenCheck } from './live.ts';
export {
  type LoopModel,
  lastOutputAt,
  loopModel,
  runningMsOf,
  takeFact,
  takeOwner,
  takePulse,
  wakeAtOf,
} from './loop-model.ts';
export { addToNight, mergedBlock, type Night, type NightBlock, noNight } from './night.ts';
export { isParkedLoop, type OwnerState, runningMsAt, type SeenOwner, shownStatusOf } from './standing.ts';
export { type LoopState, proofBadge, type StateLook, stateLooks, stateOf } from './state.ts';
export { viewOf } from './view-of.ts';
