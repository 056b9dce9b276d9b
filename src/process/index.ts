export { type RecoverOptions, recoverAttempt } from './adopt.ts';
export { answerStarter, type BackgroundResult, type BackgroundStart, startInBackground } from './background.ts';
export {
  type ChildEnvironment,
  type ChildEnvironmentOptions,
  childEnvironment,
} from './child-environment.ts';
export { type Bind, type Enclosure, enclose, findEncloser, tryEnclosure } from './enclose.ts';
export type { AgentEnding, Ending, Lost, NotStarted, StopCause } from './ending.ts';
export { foreseeFailure } from './explain-failure.ts';
export { findExecutable, findUnusable, type Unusable } from './find-executable.ts';
export { type ForegroundOptions, runInForeground } from './foreground.ts';
export { type Guarded, guardCommand, missingForGuard } from './guard.ts';
export {
  identityOf,
  isAlive,
  isStopped,
  type Liveness,
  livenessOf,
  type ProcessIdentity,
  selfIdentity,
} from './identity.ts';
export type { RunnerLoss } from './keeper-command.ts';
export type { RunErrand } from './keeper-errand.ts';
export type { Command } from './launch.ts';
export { createKeeper, type Keeper } from './loop-keeper.ts';
export { withMarker } from './marker.ts';
export type { MemoryUse } from './memory.ts';
export { canObeyPermits, type LoopPermits, openLoopPermits, permitUntil, uptimeSeconds } from './permit.ts';
export { endByIdentity, endByMarker, endProcess, findByMarker, type Grace } from './reap.ts';
export { type ImmediateResult, type ImmediateRun, runAtOnce } from './run-at-once.ts';
export { type CapturedRun, type FinishedRun, type RunOptions, runCapture, runToEnd } from './run-to-end.ts';
export { confineCommand, seatbelt, unfitForSeatbelt } from './seatbelt.ts';
export type { Stream } from './spool.ts';
export type { OutputListener } from './spool-follow.ts';
export { type SupervisedRun, type SuperviseOptions, supervise } from './supervise.ts';
