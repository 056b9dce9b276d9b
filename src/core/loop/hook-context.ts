import type {
  Changes,
  IterationStatus,
  Mode,
  Progress,
  RebootCause,
  StopReason,
  TerminalStatus,
  TestCounts,
  Verdict,
} from '../../protocol/index.ts';
import { modeOf } from '../rules/asking.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import type { ModeSwitch } from '../state/loop-hooks.ts';
import type { Outcome } from './hooks.ts';

/** What a hook receives on stdin, besides its name, its point and the values of the hooks before it. */
export interface HookContext {
  readonly loopId: string;
  /** The iteration under way, or the latest one; 0 before the first. */
  readonly iteration: number;
  /** Only within an iteration. */
  readonly attempt?: number;
  /** 0 when there is no limit. */
  readonly maxIterations: number;
  readonly mode: Mode;
  readonly workingDirectory: string;
  readonly agent: string;
  readonly sessionId?: string;
  /**
   * Within an iteration: `pre_hooks` before the agent runs, `verifying` after it, and finally how the iteration was
   * judged. At the end of a loop: how it ends.
   */
  readonly status?: IterationStatus | TerminalStatus;
  readonly progress?: Progress;
  readonly error?: string;
  readonly summary?: string;
  readonly claimed?: boolean;
  readonly changes?: Changes;
  readonly verdict?: Verdict;
  readonly tests?: TestCounts;
  /** Before and after a reboot. */
  readonly reboot?: { readonly cause: RebootCause };
  /** After a switch of modes. */
  readonly modeSwitch?: Omit<ModeSwitch, 'told'>;
  /** At the end of a loop. */
  readonly end?: { readonly reason: StopReason; readonly message: string };
}

/** What the hooks of an attempt receive; with an outcome, those that run after it. */
export function hookContext(loop: Loop, current: CurrentAttempt, outcome?: Outcome): HookContext {
  const { execution, gate } = current;
  return {
    ...loopContext(loop),
    iteration: current.iteration,
    attempt: current.attempt,
    status: outcome?.status ?? (execution === undefined ? 'pre_hooks' : 'verifying'),
    ...(outcome === undefined ? {} : { progress: outcome.progress }),
    ...(outcome?.failure === undefined ? {} : { error: outcome.failure.message }),
    ...(execution?.summary === undefined ? {} : { summary: execution.summary }),
    ...(execution === undefined ? {} : { claimed: execution.claimed, changes: execution.changes }),
    ...(gate === undefined ? {} : { verdict: gate.verdict }),
    ...(gate?.tests === undefined ? {} : { tests: gate.tests }),
  };
}

/** What every hook of a loop receives. */
export function loopContext(loop: Loop): HookContext {
  const sessionId = loop.session.current?.id;
  return {
    loopId: loop.id,
    iteration: loop.position.iteration,
    maxIterations: loop.config.maxIterations,
    mode: modeOf(loop),
    workingDirectory: loop.origin.workingDirectory,
    agent: loop.origin.agent,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}
