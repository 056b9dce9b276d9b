export { createDrive, type Drive } from './drive.ts';
export { createFactStream, type FactListener, type FactStream } from './fact-stream.ts';
export type {
  AgentPort,
  AgentRun,
  AgentTask,
  AttemptKey,
  Clock,
  CommandBus,
  EffectSignals,
  GatePort,
  GateRun,
  LoopStore,
  PromptSource,
  RunnerPorts,
  WorkspacePort,
} from './ports.ts';
