import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What a loop refuses because of the state it is in. */
export const loopFailures = {
  loopAmbiguous: (query: string, candidates: string) => ({
    code: 'LOOP_AMBIGUOUS',
    exitCode: exitCodes.usage,
    message: `"${query}" could be any of these loops: ${candidates}.`,
    hint: 'Give more of the id, up to the point where only one loop is left.',
  }),
  loopNotGiven: (candidates: string) => ({
    code: 'LOOP_NOT_GIVEN',
    exitCode: exitCodes.usage,
    message: `Which loop? There is more than one: ${candidates}.`,
    hint: 'Add the id, or the beginning of it.',
  }),
  noLoops: (root: string) => ({
    code: 'NO_LOOPS',
    exitCode: exitCodes.usage,
    message: `There is no loop in ${root}.`,
    hint: 'Start one with: ralphd run "TASK" --verify CMD',
  }),
  noProof: (loopId: string, state: string) => ({
    code: 'NO_PROOF',
    exitCode: exitCodes.failed,
    message: `There is no proof for loop ${loopId}: it is ${state}. Only a loop that completed and was verified has one.`,
    hint: `Run "ralphd explain ${loopId}" to see what is missing.`,
  }),
  proofUnreadable: (file: string, why: string) => ({
    code: 'PROOF_UNREADABLE',
    exitCode: exitCodes.configuration,
    message: `${file} is no proof that this version can read: ${why}.`,
    hint: 'Make one with: ralphd proof ID --out FILE',
  }),
  resumeRefused: (loopId: string, status: string) => ({
    code: 'RESUME_REFUSED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} is ${status}, and that never changes.`,
    hint: 'Start a new loop with "ralphd run"; the work it did is in your working directory.',
  }),
  resumeNeedsRoom: (loopId: string, used: string, command?: string) => ({
    code: 'RESUME_NEEDS_ROOM',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot go on: it has used up ${used}.`,
    hint:
      command === undefined
        ? `Run "ralphd explain ${loopId}" to see which of its conditions to raise.`
        : `Give it more, such as: ${command}`,
  }),
  commandRefused: (loopId: string, command: string, why: string) => ({
    code: 'COMMAND_REFUSED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} does not ${command}: ${why}.`,
    hint: `Run "ralphd status ${loopId}" to see what it is doing.`,
  }),
  commandUnanswered: (loopId: string, command: string) => ({
    code: 'COMMAND_UNANSWERED',
    exitCode: exitCodes.failed,
    message: `Loop ${loopId} has not answered yet; "${command}" is kept and will be carried out.`,
    hint: `Run "ralphd status ${loopId}" to see whether its process is frozen.`,
    retry: 'backoff' as const,
  }),
  invalidState: (current: string, action: string) => ({
    code: 'INVALID_STATE',
    exitCode: exitCodes.usage,
    message: `Cannot ${action} a loop that is ${current}.`,
    hint: 'Make a new LoopRunner for a new loop.',
  }),
  alreadyRunning: (loopId: string) => ({
    code: 'ALREADY_RUNNING',
    exitCode: exitCodes.locked,
    message: `This runner is already running loop ${loopId}.`,
    hint: 'Wait for the promise of the first call to run().',
  }),
  commandQueueFull: (capacity: number) => ({
    code: 'COMMAND_QUEUE_FULL',
    exitCode: exitCodes.failed,
    message: `${capacity} commands are waiting for the loop to start; no more are taken.`,
    hint: 'Call run() first, then send commands.',
  }),
  budgetNotMeasurable: (setting: string, agent: string) => ({
    code: 'BUDGET_NOT_MEASURABLE',
    exitCode: exitCodes.configuration,
    message: `${setting} cannot be kept: the agent "${agent}" does not report that.`,
    hint: 'Bound the loop by "--max-iterations" or "--max-time" instead.',
  }),
  workingDirMissing: (path: string) => ({
    code: 'WORKING_DIR_MISSING',
    exitCode: exitCodes.configuration,
    message: `The working directory ${path} is not a folder that can be entered.`,
    hint: 'Correct "workingDir", or create the folder.',
  }),
  metricWithoutGroup: ({ name, pattern }: { readonly name: string; readonly pattern: string }) => ({
    code: 'METRIC_WITHOUT_GROUP',
    exitCode: exitCodes.configuration,
    message: `The pattern "${pattern}" of the metric "${name}" has no group that could hold its number.`,
    hint: 'Put the number in round brackets, such as "score: ([0-9.]+)".',
  }),
  badPattern: (pattern: string, setting: string, where?: string) => ({
    code: 'BAD_PATTERN',
    exitCode: exitCodes.configuration,
    message: `${setting}${where === undefined ? '' : ` (${where})`} cannot be used as a regular expression: "${pattern}".`,
    hint: 'Correct it; look-ahead, look-behind and back references are not supported.',
  }),
} as const satisfies FailureFamily;
