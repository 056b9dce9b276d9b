import type { Loop } from '../core/index.ts';
import type { Fact, PulseStep } from '../protocol/index.ts';
import type { EffectSignals } from './ports/attempt.ts';
import type { RunnerPorts } from './ports/runner-ports.ts';

/** What an effect can use. */
export interface Effect extends EffectSignals {
  readonly loop: () => Loop;
  readonly ports: RunnerPorts;
  /** Records the start of the effect; false if it was interrupted before, and nothing may start. */
  readonly begin: (facts: readonly Fact[]) => Promise<boolean>;
  /** Writes facts that must be durable before the effect continues. */
  readonly record: (facts: readonly Fact[]) => Promise<void>;
  /** Shows the current step; nothing depends on it. */
  readonly pulse: (step: PulseStep) => void;
  readonly takeElapsedMs: () => number;
  /** The previous effect was a run of the agent. */
  readonly followsRunDirectly: boolean;
  /** Running time not yet accounted for by a fact. */
  readonly readElapsedMs: () => number;
}
