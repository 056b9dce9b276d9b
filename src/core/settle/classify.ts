import { formatDuration } from '../../base/index.ts';
import type { AgentOutcome, Ending, FailureClass, LoopConfig } from '../../protocol/index.ts';

const classOfOutcome: Record<AgentOutcome, FailureClass | undefined> = {
  completed: undefined,
  // The agent used up its own turns: it worked, and the next iteration continues from there.
  turn_limit: undefined,
  budget_limit: 'agent',
  rate_limited: 'limit',
  usage_limited: 'limit',
  auth: 'configuration',
  billing: 'configuration',
  context_overflow: 'agent',
  output_limit: 'agent',
  refused: 'agent',
  transient: 'environment',
  configuration: 'configuration',
  interrupted: 'agent',
  unknown: 'unknown',
};

/**
 * The class of a run's failure; `undefined` for a run that worked. The outcome the agent reported comes first:
 * the way the process ended decides only when the stream reported none.
 */
export function classify(outcome: AgentOutcome, ending: Ending): FailureClass | undefined {
  // Nothing ran: either its configuration or prompt is wrong, or the machine could not start it.
  if (ending.kind === 'not_started') return outcome === 'configuration' ? 'configuration' : 'environment';
  if (wasCut({ ending, outcome })) return blameOfCut(outcome);
  if (outcome !== 'unknown') return classOfOutcome[outcome];
  if (ending.kind === 'stopped') return 'agent';
  if (ending.kind === 'signalled') return 'agent';
  return ending.kind === 'exited' && ending.code !== 0 ? 'agent' : 'unknown';
}

const cuts: readonly string[] = ['budget', 'redline'];

/** Whether the run was ended because its budget was used up or its session was full, before it was done. */
export function wasCut({ ending, outcome }: { readonly ending: Ending; readonly outcome: AgentOutcome }): boolean {
  return ending.kind === 'stopped' && cuts.includes(ending.by) && outcome !== 'completed';
}

/** It worked until then, and how it reacts to being ended is not its fault; a limit or bad configuration counts. */
function blameOfCut(outcome: AgentOutcome): FailureClass | undefined {
  const blame = classOfOutcome[outcome];
  return blame === 'limit' || blame === 'configuration' ? blame : undefined;
}

const watchdogs: readonly string[] = ['timeout', 'start', 'idle'];

/** Whether one of our own watchdogs ended the run. */
export function wasTimedOut(ending: Ending): boolean {
  return ending.kind === 'stopped' && watchdogs.includes(ending.by);
}

/** Whether the run was lost with the process that drove it: it has no result, and is tried again. */
export function wasLost({ ending, outcome }: { readonly ending: Ending; readonly outcome: AgentOutcome }): boolean {
  return ending.kind === 'lost' && outcome === 'interrupted';
}

/** Which of our watchdogs ended an iteration, and at which limit. */
export interface PassedLimit {
  readonly iteration: number;
  readonly limits: LoopConfig['iteration'];
}

/** Why a run failed: the limit that it passed, the agent's own error, else how it ended. */
export function failureMessage({ error, ending, empty }: FailedRun, passed?: PassedLimit): string {
  const timeout = passed && timeoutMessage(ending, passed);
  if (timeout !== undefined) return error === undefined ? timeout : `${timeout} Its last error: ${error}`;
  return error ?? `The agent ${describeEnding(ending)}${empty ? ' without a word, a tool or a token' : ''}.`;
}

/** What is known about a run that failed. */
interface FailedRun {
  readonly error?: string;
  readonly ending: Ending;
  readonly empty?: boolean;
}

/** One sentence about how a process ended. */
export function describeEnding(ending: Ending): string {
  switch (ending.kind) {
    case 'exited':
      return `exited with code ${ending.code}`;
    case 'signalled':
      return `was killed by ${ending.signal}`;
    case 'stopped':
      return stoppedBecause[ending.by];
    case 'not_started':
      return `could not be started: ${ending.message}`;
    case 'lost':
      return 'ended, but its exit was not recorded';
  }
}

function timeoutMessage(ending: Ending, { iteration, limits }: PassedLimit): string | undefined {
  if (ending.kind !== 'stopped') return undefined;
  const after = (ms: number) => `after ${formatDuration(ms)}`;
  switch (ending.by) {
    case 'timeout':
      return `Iteration ${iteration} was ended ${after(limits.timeout)}, its timeout.`;
    case 'start':
      return `Iteration ${iteration} was ended ${after(limits.startTimeout)} without any output of the agent.`;
    case 'idle':
      return `Iteration ${iteration} was ended ${after(limits.idleTimeout)} without any sign of life of the agent.`;
    default:
      return undefined;
  }
}

const stoppedBecause = {
  timeout: 'was ended at the iteration timeout',
  start: 'was ended because it printed nothing',
  idle: 'was ended because it showed no sign of life',
  output: 'was ended because it printed too much',
  result: 'was ended because it kept running after its result',
  budget: 'was ended because the budget was used up',
  redline: 'was ended because its session reached the redline',
  rejected: 'was ended because retrying could not help',
  memory: 'was ended because it used too much memory',
  request: 'was ended on request',
} as const;
