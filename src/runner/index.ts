export { createDrive, type Drive, type DriveOptions, type DriveResult } from './drive.ts';
export { createFactStream, type FactListener, type FactStream } from './fact-stream.ts';
export type { AgentPort, AgentRun, AgentTask, RecoverTask } from './ports/agent-port.ts';
export type { AttemptKey, EffectSignals, Interruption, InterruptionCause } from './ports/attempt.ts';
export type { AttemptFiles } from './ports/attempt-files.ts';
export type { Clock } from './ports/clock.ts';
export type { Answer, CommandBus, CommandReceiver } from './ports/command-bus.ts';
export type { ConditionsPort, ConditionTask } from './ports/conditions-port.ts';
export type { EventBus, FollowOptions } from './ports/event-bus.ts';
export type { GatePort, PreparedGate } from './ports/gate-port.ts';
export type { HooksPort, HooksRun, HookTask } from './ports/hooks-port.ts';
export type { Lease, Liveness, LoopOwner, Permit } from './ports/lease.ts';
export type {
  LoopChanges,
  LoopStore,
  OpenOptions,
  OwnedLoop,
  RecoveredLoop,
  StoredLoop,
  StoreProblem,
  StoreTrouble,
} from './ports/loop-store.ts';
export type { PromptSource } from './ports/prompt-source.ts';
export type { PulseBus, PulseSink } from './ports/pulse-port.ts';
export type { RunnerPorts } from './ports/runner-ports.ts';
export type { WorkspacePort } from './ports/workspace-port.ts';
export { createRecorder, type Recorder } from './recorder.ts';
