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
  iterationNotFound: (loopId: string, iteration: number | undefined, newest?: number) => ({
    code: 'ITERATION_NOT_FOUND',
    exitCode: exitCodes.usage,
    message:
      iteration === undefined
        ? `Loop ${loopId} has not started an iteration yet.`
        : `Loop ${loopId} has no iteration ${iteration}.`,
    hint:
      newest === undefined
        ? `Run "ralphd status ${loopId}" to see what it is doing.`
        : `Its newest iteration is ${newest}: run "ralphd inspect ${loopId} ${newest}".`,
  }),
  outputMissing: (loopId: string, what: string, { available, elsewhere }: OutputHint = {}) => ({
    code: 'OUTPUT_MISSING',
    exitCode: exitCodes.usage,
    message:
      elsewhere === undefined
        ? `Loop ${loopId} has no output of ${what}.`
        : `The database has no output of ${what} of loop ${loopId}: it keeps the end of the newest four attempts.`,
    hint:
      available !== undefined
        ? `There is output of ${available}: run "ralphd logs ${loopId} N".`
        : elsewhere?.whole === undefined
          ? `Run "ralphd status ${loopId}" to see what it is doing.`
          : `All of the output is on ${elsewhere.whole.host}, near ${elsewhere.whole.folder}.`,
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
    message: `Loop ${loopId} is ${status}, which is final, and cannot be resumed.`,
    hint: `Continue its work in a new loop: ralphd resume ${loopId} --as-new`,
  }),
  resumeNeedsRoom: (loopId: string, used: string, raise?: NonNullable<Failure['resume']>['raise']) => ({
    code: 'RESUME_NEEDS_ROOM',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot be resumed: it has used up ${used}.`,
    hint: `Run "ralphd explain ${loopId}" to see which limit or condition to raise.`,
    ...(raise === undefined ? {} : { resume: { loopId, raise } }),
  }),
  agentUnderWay: (loopId: string) => ({
    code: 'AGENT_UNDER_WAY',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot switch to another agent now: an iteration is under way, and its agent may still be running.`,
    hint: `Resume it with its current agent, pause it with "ralphd pause ${loopId}", then resume it with the other one.`,
  }),
  commandRefused: (loopId: string, action: string, why: string, allowed: readonly string[]) => ({
    code: 'COMMAND_REFUSED',
    exitCode: exitCodes.usage,
    message: `Cannot ${action} loop ${loopId}: ${why}.`,
    hint:
      allowed.length === 0
        ? `It accepts no more commands. Run "ralphd explain ${loopId}" to see its result.`
        : `It accepts these commands now: ${allowed.join(', ')}.`,
    allowed,
  }),
  commandUnanswered: (loopId: string, command: string, owner: string, isStopped: boolean) => ({
    code: 'COMMAND_UNANSWERED',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} is driven by ${owner}, which ${isStopped ? 'is stopped' : 'is alive'} and does not answer. "${command}" is stored and will be carried out once the loop has an owner that answers.`,
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
  iterationTimedOut: (iteration: number, limit: string) => ({
    code: 'ITERATION_TIMEOUT',
    exitCode: exitCodes.failed,
    message: `Iteration ${iteration} was ended because it took longer than ${limit}.`,
    hint: 'Allow more time with the setting "iteration.timeout", or give the agent a smaller task.',
  }),
  iterationBrokenOff: (iteration: number, why: string) => ({
    code: 'ITERATION_BROKEN_OFF',
    exitCode: exitCodes.needsPerson,
    message: `Iteration ${iteration} did not run to its end: ${why}`,
    hint: 'Resolve the cause, then run the iteration again.',
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
  backgroundFailed: (how: string) => ({
    code: 'BACKGROUND_FAILED',
    exitCode: exitCodes.failed,
    message: `The loop does not run in the background: its process ${how}.`,
    hint: 'Run the same command without "--detach" to see what happens.',
  }),
  backgroundNeedsState: () => ({
    code: 'BACKGROUND_NEEDS_STATE',
    exitCode: exitCodes.configuration,
    message: 'A loop that keeps no state cannot run in the background: nobody could watch or stop it.',
    hint: 'Remove "persistence.enabled: false" from the configuration, or leave out "--detach".',
  }),
  restartUnsupported: (why: string) => ({
    code: 'RESTART_UNSUPPORTED',
    exitCode: exitCodes.configuration,
    message: `This system cannot restart the loop after a reboot: ${why}.`,
    hint: 'Leave out "--restart", and run "ralphd resume" yourself after a reboot.',
  }),
  restartTaken: (file: string) => ({
    code: 'RESTART_TAKEN',
    exitCode: exitCodes.configuration,
    message: `The loop runs, but will not be restarted after a reboot: ${file} belongs to a loop of the same name elsewhere.`,
    hint: 'Choose another name with "--loop-id" for the next loop.',
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

/** Where there is output instead. */
export interface OutputHint {
  readonly available?: string | undefined;
  /** Set for a loop of a fleet, of whose output only the end is here: where all of it is, if that is known. */
  readonly elsewhere?: { readonly whole: { readonly host: string; readonly folder: string } | undefined } | undefined;
}
