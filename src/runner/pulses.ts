import type { Loop } from '../core/index.ts';
import { type AgentProgress, type CheckProgress, type PulseStep, pulseVersion } from '../protocol/index.ts';
import type { Effect } from './effect.ts';
import type { RunnerPorts } from './ports/runner-ports.ts';

/** Shows what a loop is doing, step by step. */
export interface Pulses {
  /** Begins a step; it is over when this is disposed of. */
  step(): Disposable & { readonly show: (step: PulseStep) => void };
}

/** Sends pulses to a sink. A sink that fails is not used again, because pulses must never fail a loop. */
export function createPulses(ports: Pick<RunnerPorts, 'pulse' | 'loop' | 'clock'>, loop: () => Loop): Pulses {
  let { pulse: sink } = ports;
  const send = (step: PulseStep | undefined) => {
    try {
      sink?.(step && { ...originOf(ports, loop()), ...step });
    } catch {
      sink = undefined;
    }
  };
  return {
    step() {
      let isShown = false;
      let isOver = false;
      return {
        show(step) {
          if (isOver) return;
          isShown = true;
          send(step);
        },
        [Symbol.dispose]: () => {
          isOver = true;
          if (isShown) send(undefined);
        },
      };
    },
  };
}

function originOf({ loop: { loopId, lease }, clock }: Pick<RunnerPorts, 'loop' | 'clock'>, { position }: Loop) {
  const { iteration, attempt } = position;
  return { version: pulseVersion, loopId, epoch: lease.epoch, at: instant(clock.nowMs()), iteration, attempt } as const;
}

/** Shows the agent's work. An adopted agent has been working since its original start. */
export function showAgent({ pulse, ports }: Effect, startedAt?: string): (progress: AgentProgress) => void {
  const now = instant(ports.clock.nowMs());
  return (progress) => pulse({ step: 'agent', since: (progress.isAdopted && startedAt) || now, ...progress });
}

/** Shows each check as it starts and ends. */
export function showChecks({ pulse, ports }: Effect, purpose: 'baseline' | 'gate'): (check: CheckProgress) => void {
  let since = '';
  let index = 0;
  return (check) => {
    if (check.index !== index) since = instant(ports.clock.nowMs());
    index = check.index;
    pulse({ step: 'check', purpose, since, ...check });
  };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
