export type { CommandRequest } from './commands.ts';
export type { LandedLoop, LandOptions } from './land.ts';
export type { EventOptions } from './loop-events.ts';
export type { LoopHandle, LoopResult } from './loop-handle.ts';
export { LoopRunner, type RunOptions } from './loop-runner.ts';
export {
  type LoopInfo,
  type LoopList,
  type Loops,
  type OpenLoopsOptions,
  openLoops,
  type RemovedLoop,
  type RemoveOptions,
  type SendOptions,
} from './open-loops.ts';
export {
  type EnvironmentOptions,
  type LoopChanges,
  type ResumeLoopOptions,
  type RunControl,
  type RunLoopOptions,
  resumeLoop,
  runLoop,
} from './run-loop.ts';
export type { LoopEvent, LoopId } from './to-events.ts';
