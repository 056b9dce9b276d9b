import type { Changes, IterationStatus, Progress, TestCounts, Verdict } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import type { Outcome } from './hooks.ts';

/** What a hook receives on stdin, besides its name, its point and the values of the hooks before it. */
export interface HookContext {
  readonly loopId: string;
  readonly iteration: number;
  readonly attempt: number;
  /** 0 when there is no limit. */
  readonly maxIterations: number;
  readonly workingDirectory: string;
  readonly agent: string;
  readonly sessionId?: string;
  /** `pre_hooks` before the agent runs, `verifying` after it, and finally how the iteration was judged. */
  readonly status: IterationStatus;
  readonly progress?: Progress;
  readonly error?: string;
  readonly summary?: string;
  readonly claimed?: boolean;
  readonly changes?: Changes;
  readonly verdict?: Verdict;
  readonly tests?: TestCounts;
}

/** What the hooks of an attempt receive; with an outcome, those that run after it. */
export function hookContext(loop: Loop, current: CurrentAttempt, outcome?: Outcome): HookContext {
  const { execution, gate } = current;
  const sessionId = loop.session.current?.id;
  return {
    loopId: loop.id,
    iteration: current.iteration,
    attempt: current.attempt,
    maxIterations: loop.config.maxIterations,
    workingDirectory: loop.origin.workingDirectory,
    agent: loop.origin.agent,
    ...(sessionId === undefined ? {} : { sessionId }),
    status: outcome?.status ?? (execution === undefined ? 'pre_hooks' : 'verifying'),
    ...(outcome === undefined ? {} : { progress: outcome.progress }),
    ...(outcome?.failure === undefined ? {} : { error: outcome.failure.message }),
    ...(execution?.summary === undefined ? {} : { summary: execution.summary }),
    ...(execution === undefined ? {} : { claimed: execution.claimed, changes: execution.changes }),
    ...(gate === undefined ? {} : { verdict: gate.verdict }),
    ...(gate?.tests === undefined ? {} : { tests: gate.tests }),
  };
}
