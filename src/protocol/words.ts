export {
  type ChannelType,
  channelTypes,
  type NotifyPriority,
  type NotifyTrigger,
  notifyPriorities,
  notifyTriggers,
} from './notifications.ts';
export { type StopReason, stopReasons } from './stop-reasons.ts';

/** Public status of a loop, as in `state.json`. */
export const statuses = ['running', 'paused', 'completing', 'completed', 'failed', 'aborted', 'crashed'] as const;
/** One word of the public status. */
export type Status = (typeof statuses)[number];

/** The final statuses. */
export const terminalStatuses = ['completed', 'failed', 'aborted', 'crashed'] as const satisfies readonly Status[];
/** One of them. */
export type TerminalStatus = (typeof terminalStatuses)[number];

/** The systems whose loops can be imported. */
export const foreignSystems = [
  'tachikoma',
  'aiwg',
  'aiwg-internal',
  'aiwg-external',
  'ultraplan',
  'ralph-wiggum',
] as const;
/** One of them. */
export type ForeignSystem = (typeof foreignSystems)[number];

/** What a loop that is `running` is doing. */
export const phases = [
  'starting',
  'pre_hooks',
  'executing',
  'verifying',
  'post_hooks',
  'rebooting',
  'waiting',
  'paused',
  'finalizing',
] as const;
/** One phase. */
export type Phase = (typeof phases)[number];

/** The states of the runner as a library user sees them; derived from status and phase. */
export const loopStates = ['idle', 'running', 'paused', 'rebooting', 'completed', 'error', 'stopped'] as const;
/** One state of the runner. */
export type LoopState = (typeof loopStates)[number];

/** The status of one iteration. */
export const iterationStatuses = [
  'pending',
  'pre_hooks',
  'executing',
  'verifying',
  'post_hooks',
  'completed',
  'failed',
  'timed_out',
  'skipped',
] as const;
/** One status of an iteration. */
export type IterationStatus = (typeof iterationStatuses)[number];

/** How a finished iteration was judged. */
export const judgedStatuses = ['completed', 'failed', 'timed_out'] as const satisfies readonly IterationStatus[];

/** The two steps of an attempt in which hooks run. */
export const hookSteps = ['pre_iteration', 'post_iteration'] as const;
/** One step of hooks. */
export type HookStep = (typeof hookSteps)[number];

/** The steps outside of attempts in which hooks run. */
export const loopHookSteps = ['loop_start', 'loop_end', 'pre_reboot', 'post_reboot', 'on_mode_switch'] as const;
/** One step of hooks outside of attempts. */
export type LoopHookStep = (typeof loopHookSteps)[number];

/** When a hook runs: every step, and what a step may also reach. */
export const hookPoints = [
  ...hookSteps,
  'on_progress',
  'on_no_progress',
  'on_test_success',
  'on_test_failure',
  'on_error',
  'on_file_change',
  'pre_session',
  'post_session',
  ...loopHookSteps,
] as const;
/** One point. */
export type HookPoint = (typeof hookPoints)[number];

/** The sets of user-defined conditions: those that end a loop, and those that trigger the checks. */
export const conditionSets = ['failure', 'success', 'stop'] as const;
/** One set of conditions. */
export type ConditionSet = (typeof conditionSets)[number];

/** The outcome of one agent run, read from its output. */
export const agentOutcomes = [
  'completed',
  'turn_limit',
  'budget_limit',
  'rate_limited',
  'usage_limited',
  'auth',
  'billing',
  'context_overflow',
  'output_limit',
  'refused',
  'transient',
  'configuration',
  'interrupted',
  'unknown',
] as const;
/** One outcome of a run. */
export type AgentOutcome = (typeof agentOutcomes)[number];

/** The cause of a failed run, which decides what it costs. */
export const failureClasses = ['limit', 'environment', 'configuration', 'agent', 'unknown'] as const;
/** One class of failure. */
export type FailureClass = (typeof failureClasses)[number];

/** What ralphd found when it ran a check itself. */
export const verdicts = [
  'passed',
  'failed',
  /** It exits with 0, but its own report counts failing tests. */
  'contradicted',
  'timed_out',
  'not_found',
  'not_executable',
  'unverifiable',
  /** Every check passes, but nothing has changed since the loop started: there is no work to prove. */
  'unchanged',
] as const;
/** One verdict. */
export type Verdict = (typeof verdicts)[number];

/** Levels of proof: a claim only, checks in the work tree, in a clean checkout, or sealed off from the agent. */
export const proofLevels = ['none', 'tree', 'clean', 'sealed'] as const;
/** One level of proof. */
export type ProofLevel = (typeof proofLevels)[number];

/**
 * What the checks prove about an iteration, strongest first: everything; a part, and no less than before the first
 * iteration; unknown; nothing, or less than before the first iteration; nothing, because the checks were changed.
 */
export const proofs = ['passed', 'partly', 'unknown', 'refused', 'tampered'] as const;
/** One degree of proof. */
export type Proof = (typeof proofs)[number];

/** The severity of an issue noted by an agent. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;

/** Why an agent gets a new session. */
export const rebootCauses = [
  'redline',
  'degradation',
  'iteration_limit',
  'session_timeout',
  'pattern',
  'manual',
  'error',
] as const;
/** One cause of a reboot. */
export type RebootCause = (typeof rebootCauses)[number];

/** How full the context of a session is. */
export type ContextLevel = 'low' | 'medium' | 'high' | 'warning' | 'redline';

/** What the state of a session suggests; `manual` if a reboot is up to a person. */
export type RebootAdvice = 'continue' | 'finish_and_reboot' | 'immediate_reboot' | 'manual';

/** The digest of a missing file. */
export const absent = 'gone';
