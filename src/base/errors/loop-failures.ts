import { exitCodes } from './exit-codes.ts';
import type { Failure, FailureFamily } from './loop-error.ts';

/** What a loop refuses because of the state it is in. */
export const loopFailures = {
  loopAmbiguous: (query: string, candidates: string) => ({
    code: 'LOOP_AMBIGUOUS',
    exitCode: exitCodes.usage,
    message: `"${query}" matches more than one loop: ${candidates}.`,
    hint: 'Use a longer prefix that matches only one of them.',
  }),
  loopNotGiven: (candidates: string) => ({
    code: 'LOOP_NOT_GIVEN',
    exitCode: exitCodes.usage,
    message: `There is more than one loop, and no id was given: ${candidates}.`,
    hint: 'Add the id, or a unique prefix of it.',
  }),
  noLoops: (root: string) => ({
    code: 'NO_LOOPS',
    exitCode: exitCodes.usage,
    message: `There are no loops in ${root}.`,
    hint: 'Start one: ralphd run "TASK" --verify CMD',
  }),
  noProof: (loopId: string, state: string) => ({
    code: 'NO_PROOF',
    exitCode: exitCodes.failed,
    message: `Loop ${loopId} has no proof: it is ${state}. Only a completed and verified loop has one.`,
    hint: `Run "ralphd explain ${loopId}" to see what is missing.`,
  }),
  proofUnreadable: (file: string, why: string) => ({
    code: 'PROOF_UNREADABLE',
    exitCode: exitCodes.configuration,
    message: `${file} is not a proof that this version of ralphd can read: ${why}.`,
    hint: 'Create one: ralphd proof ID --out FILE',
  }),
  resumeRefused: (loopId: string, status: string) => ({
    code: 'RESUME_REFUSED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} is ${status} and cannot be resumed.`,
    hint: 'Start a new loop with "ralphd run"; the work done so far is in your working directory.',
  }),
  resumeNeedsRoom: (loopId: string, used: string, raise?: NonNullable<Failure['resume']>['raise']) => ({
    code: 'RESUME_NEEDS_ROOM',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot be resumed: it has used up ${used}.`,
    hint: `Run "ralphd explain ${loopId}" to see which limit or condition to raise.`,
    ...(raise === undefined ? {} : { resume: { loopId, raise } }),
  }),
  commandRefused: (loopId: string, action: string, why: string, allowed: readonly string[]) => ({
    code: 'COMMAND_REFUSED',
    exitCode: exitCodes.usage,
    message: `Cannot ${action} loop ${loopId}: ${why}.`,
    hint:
      allowed.length === 0
        ? `It accepts no commands now. Run "ralphd status ${loopId}" to see why.`
        : `It accepts these commands now: ${allowed.join(', ')}.`,
    allowed,
  }),
  commandUnanswered: (loopId: string, command: string, owner: string, isStopped: boolean) => ({
    code: 'COMMAND_UNANSWERED',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} is driven by ${owner}, which ${isStopped ? 'is stopped' : 'is alive'} and does not answer. "${command}" is kept and will be carried out as soon as the loop has an owner that answers.`,
    hint: `To end that process and take the loop over: ralphd resume ${loopId} --force`,
    retry: 'backoff' as const,
  }),
  invalidState: (current: string, action: string) => ({
    code: 'INVALID_STATE',
    exitCode: exitCodes.usage,
    message: `Cannot ${action} a loop that is ${current}.`,
    hint: 'Create a new LoopRunner for a new loop.',
  }),
  alreadyRunning: (loopId: string) => ({
    code: 'ALREADY_RUNNING',
    exitCode: exitCodes.locked,
    message: `This runner is already running loop ${loopId}.`,
    hint: 'Await the promise returned by the first run() call.',
  }),
  commandQueueFull: (capacity: number) => ({
    code: 'COMMAND_QUEUE_FULL',
    exitCode: exitCodes.failed,
    message: `The command queue is full: ${capacity} commands are waiting for the loop to start.`,
    hint: 'Call run() first, then send commands.',
  }),
  budgetNotMeasurable: (setting: string, agent: string) => ({
    code: 'BUDGET_NOT_MEASURABLE',
    exitCode: exitCodes.configuration,
    message: `${setting} cannot be enforced: the agent "${agent}" does not report this value.`,
    hint: 'Use "--max-iterations" or "--max-time" instead.',
  }),
  workingDirMissing: (path: string) => ({
    code: 'WORKING_DIR_MISSING',
    exitCode: exitCodes.configuration,
    message: `The working directory ${path} does not exist or cannot be entered.`,
    hint: 'Fix "workingDir", or create the folder.',
  }),
  metricWithoutGroup: (name: string, pattern: string) => ({
    code: 'METRIC_WITHOUT_GROUP',
    exitCode: exitCodes.configuration,
    message: `The pattern "${pattern}" of the metric "${name}" has no capture group for the number.`,
    hint: 'Put parentheses around the number, such as "score: ([0-9.]+)".',
  }),
  badPattern: (pattern: string, setting: string, where?: string) => ({
    code: 'BAD_PATTERN',
    exitCode: exitCodes.configuration,
    message: `${setting}${where === undefined ? '' : ` (${where})`} is not a valid regular expression: "${pattern}".`,
    hint: 'Fix it; lookahead, lookbehind and backreferences are not supported.',
  }),
} as const satisfies FailureFamily;
