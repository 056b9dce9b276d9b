export type { AppContext } from './adapters.ts';
export type { DrivenLoop } from './driven-loop.ts';
export { findLoop, type LoopView, listLoops, type UnreadableLoop } from './look.ts';
export { type CommandRequest, type LoopEvent, type LoopId, type LoopResult, LoopRunner } from './loop-runner.ts';
export { type ResumeChanges, resumeLoop } from './resume-loop.ts';
export { startLoop } from './start-loop.ts';
export { type LoopPlace, placeOf } from './stores.ts';
export { type Answer, tellLoop } from './tell-loop.ts';
