export { formatDuration, parseDuration } from './duration.ts';
export { exitCodes } from './errors/exit-codes.ts';
export { failures } from './errors/failures.ts';
export { type Failure, LoopError, type Retry } from './errors/loop-error.ts';
export {
  alignUuid,
  createLoopId,
  isLoopId,
  type LoopIdMatch,
  type LoopNames,
  loopUuidForm,
  resolveLoopId,
  slugLoopId,
} from './loop-id.ts';
export { nearest } from './suggest.ts';
export { boundText, tailText } from './text.ts';
