export {
  type ChildEnvironment,
  type ChildEnvironmentOptions,
  childEnvironment,
} from './child-environment.ts';
export type { Ending, NotStarted, StopCause } from './ending.ts';
export { findExecutable } from './find-executable.ts';
export { identityOf, isAlive, type ProcessIdentity, selfIdentity } from './identity.ts';
export type { Command } from './launch.ts';
export { endByIdentity, endByMarker, findByMarker } from './reap.ts';
export { type CapturedRun, type FinishedRun, type RunOptions, runCapture, runToEnd } from './run-to-end.ts';
export { type SupervisedRun, type SuperviseOptions, supervise } from './supervise.ts';
