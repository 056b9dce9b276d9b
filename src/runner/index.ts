export { createDrive, type Drive } from './drive.ts';
export { createFactStream, type FactListener, type FactStream } from './fact-stream.ts';
export type {
  AgentPort,
  AgentRun,
  AgentTask,
  AttemptKey,
  Clock,
  CommandBus,
  ConditionsPort,
  ConditionTask,
  EffectSignals,
  GatePort,
  HooksPort,
  HooksRun,
  HookTask,
  LoopStore,
  PromptSource,
  RecoverTask,
  RunnerPorts,
  WorkspacePort,
} from './ports.ts';
