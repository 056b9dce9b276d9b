import type { Loop } from '../../core/index.ts';
import type { Fact, RecordedFact } from '../../protocol/index.ts';
import type { AgentPort } from './agent-port.ts';
import type { AttemptFiles } from './attempt-files.ts';
import type { Clock } from './clock.ts';
import type { CommandBus } from './command-bus.ts';
import type { ConditionsPort } from './conditions-port.ts';
import type { GatePort } from './gate-port.ts';
import type { HooksPort } from './hooks-port.ts';
import type { OwnedLoop } from './loop-store.ts';
import type { PromptSource } from './prompt-source.ts';
import type { PulseSink } from './pulse-port.ts';
import type { WorkspacePort } from './workspace-port.ts';

/** Everything that the driver of one loop needs from outside. */
export interface RunnerPorts {
  readonly loop: OwnedLoop;
  readonly clock: Clock;
  readonly files: AttemptFiles;
  readonly agent: AgentPort;
  readonly gate: GatePort;
  readonly hooks: HooksPort;
  readonly conditions: ConditionsPort;
  readonly workspace: WorkspacePort;
  readonly prompt: PromptSource;
  readonly commands: Pick<CommandBus, 'listen'>;
  /** Redacts a fact before it is judged and written; without it, facts are written unchanged. */
  readonly redact?: (fact: Fact) => Fact;
  /** Called with facts once they are durable, and the resulting loop, to update views. */
  readonly observe?: (facts: readonly RecordedFact[], loop: Loop) => void;
  /** Shows what the loop is doing right now. */
  readonly pulse?: PulseSink;
  /** Ends checks, hooks and scripts that a dead owner left running; its agent is adopted or ended elsewhere. */
  readonly endOrphanedWork: (loop: Loop) => Promise<void>;
}
