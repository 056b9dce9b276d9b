import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with a loop inside an agent's interactive session. */
export const sessionFailures = {
  hookInputInvalid: (why: string) => ({
    code: 'HOOK_INPUT_INVALID',
    exitCode: exitCodes.usage,
    message: `The input of the hook cannot be used: ${why}.`,
    hint: 'Only an agent runs this command, with JSON on stdin. Install it with "ralphd hook install claude".',
  }),
  hookAgentUnknown: (agent: string, known: readonly string[]) => ({
    code: 'HOOK_AGENT_UNKNOWN',
    exitCode: exitCodes.usage,
    message: `${agent === '' ? 'No agent is given' : `There is no hook for "${agent}"`}; there is one for ${known.join(' and ')}.`,
    hint: `Name one of them, as in "ralphd hook install ${known[0] ?? 'claude'}".`,
  }),
  hookSettingsUnsafe: (file: string) => ({
    code: 'HOOK_SETTINGS_UNSAFE',
    exitCode: exitCodes.configuration,
    message: `${file} is a symbolic link or not a plain file. Nothing was changed.`,
    hint: 'Replace it with a plain file, or install the hook elsewhere with "--project" or "--user".',
  }),
  hookSettingsInvalid: (file: string, why: string) => ({
    code: 'HOOK_SETTINGS_INVALID',
    exitCode: exitCodes.configuration,
    message: `${file} cannot be edited: ${why}. Nothing was changed.`,
    hint: 'Correct the file, then run the command again.',
  }),
  notInSession: (setting: string) => ({
    code: 'NOT_IN_SESSION',
    exitCode: exitCodes.configuration,
    message: `A loop in an interactive session cannot have "${setting}". Nothing was created.`,
    hint: `Remove "${setting}" from the settings, or start the loop with "ralphd run".`,
  }),
  sessionTaken: (sessionId: string, loopId: string) => ({
    code: 'SESSION_TAKEN',
    exitCode: exitCodes.locked,
    message: `The session ${sessionId} already works on loop ${loopId}. Nothing was created.`,
    hint: `Wait until it has ended, or end it with "ralphd stop ${loopId}".`,
  }),
  pluginLoopInvalid: (file: string, why: string) => ({
    code: 'PLUGIN_LOOP_INVALID',
    exitCode: exitCodes.configuration,
    message: `${file} is not the state of a loop of Claude Code's plugin: ${why}. Nothing was changed.`,
    hint: 'Correct the file, or start a new loop with "ralphd hook start TASK".',
  }),
  sessionNotReady: (sessionId: string, status: string) => ({
    code: 'SESSION_NOT_READY',
    exitCode: exitCodes.usage,
    message: `Session ${sessionId} takes no prompt, because it is ${status}.`,
    hint: 'Wait for the iteration under way, or create a new session.',
  }),
  tooManySessions: (most: number) => ({
    code: 'TOO_MANY_SESSIONS',
    exitCode: exitCodes.usage,
    message: `There are already ${most} sessions that are not over.`,
    hint: 'End one of them first.',
  }),
} as const satisfies FailureFamily;
