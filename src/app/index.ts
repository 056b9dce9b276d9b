export type { AppContext } from './adapters.ts';
export { type AgentHere, agentsHere, versionWarning } from './agents-here.ts';
export { type BackupReport, backUpLoop } from './back-up-loop.ts';
export { collectGarbage, type GarbageReport } from './collect-garbage.ts';
export type { DrivenLoop } from './driven-loop.ts';
export { type Examination, examine } from './examine.ts';
export { exportFormats, exportLoop, isExportFormat } from './export-loop.ts';
export type { Finding } from './finding.ts';
export { findLoop } from './look.ts';
export {
  type CommandRequest,
  type LoopEvent,
  type LoopId,
  type LoopResult,
  LoopRunner,
  type RunOptions,
} from './loop-runner.ts';
export type { LoopView } from './loop-view.ts';
export { type ParsedRun, parseAgentRun } from './parse-agent.ts';
export { parseTests } from './parse-tests.ts';
export { endedLoop, type RecoverReport, recoverLoop } from './recover-loop.ts';
export { type RestoreReport, restoreLoop } from './restore-loop.ts';
export { type ResumeChanges, resumeLoop, resumeSettings } from './resume-loop.ts';
export { showEvaluations, showLoop, showLoops } from './show-loops.ts';
export { startLoop } from './start-loop.ts';
export { type LoopPlace, placeOf } from './stores.ts';
export { type Answer, tellLoop } from './tell-loop.ts';
