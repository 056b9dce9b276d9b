import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const exitCode = exitCodes.usage;

/** What can be wrong with a command line. */
export const usageFailures = {
  unknownFlag: (flag: string, suggestion?: string) => ({
    code: 'UNKNOWN_FLAG',
    exitCode,
    message: `Unknown option ${flag}.`,
    hint:
      suggestion === undefined ? 'Run "ralphd --help" to see all commands and options.' : `Did you mean ${suggestion}?`,
  }),
  unknownCommand: (command: string, suggestion?: string) => ({
    code: 'UNKNOWN_COMMAND',
    exitCode,
    message: `Unknown command "${command}".`,
    hint:
      suggestion === undefined
        ? 'Run "ralphd --help" to see all commands.'
        : `Did you mean "ralphd ${suggestion}"? To start a loop with this task, run: ralphd run "${command}"`,
  }),
  unknownSubcommand: (command: string, given: string, known: readonly string[]) => ({
    code: 'UNKNOWN_SUBCOMMAND',
    exitCode,
    message: `"ralphd ${command}" does not know "${given}".`,
    hint: `Use one of these: ${known.join(', ')}.`,
  }),
  missingValue: (flag: string) => ({
    code: 'MISSING_VALUE',
    exitCode,
    message: `The option ${flag} needs a value.`,
    hint: `Put the value after it, as in "${flag} VALUE".`,
  }),
  missingArgument: (argument: string, command: string) => ({
    code: 'MISSING_ARGUMENT',
    exitCode,
    message: `"ralphd ${command}" needs ${argument}.`,
    hint: `Run "ralphd ${command} --help" to see its usage.`,
  }),
  badValue: (flag: string, wanted: string, found: string) => ({
    code: 'BAD_VALUE',
    exitCode,
    message: `${flag} must be ${wanted}, but it is ${found}.`,
    hint: `Change ${flag}: it must be ${wanted}.`,
  }),
  fileUnreadable: (path: string, cause: string) => ({
    code: 'FILE_UNREADABLE',
    exitCode,
    message: `The file ${path} cannot be read: ${cause}.`,
    hint: 'Check the path and its permissions.',
  }),
  fileExists: (path: string) => ({
    code: 'FILE_EXISTS',
    exitCode,
    message: `The file ${path} already exists and was left unchanged.`,
    hint: 'Choose another name with "--out", or remove the file first.',
  }),
  tooManyArguments: (command: string, extra: string) => ({
    code: 'TOO_MANY_ARGUMENTS',
    exitCode,
    message: `"ralphd ${command}" does not accept the extra argument "${extra}".`,
    hint: 'Put text with spaces in quotes, and options for the agent after "--".',
  }),
  attendedNeedsTerminal: (mode: string) => ({
    code: 'ATTENDED_NEEDS_TERMINAL',
    exitCode,
    message: `A loop that is ${mode} asks a person, and there is no terminal to ask in.`,
    hint: 'Run it in a terminal, without "--json" and "--detach", let it continue by itself with "--auto-approve-after 5m", or ask nobody with "--mode unattended".',
  }),
  rollbackUnconfirmed: () => ({
    code: 'ROLLBACK_UNCONFIRMED',
    exitCode,
    message:
      'A rollback restores every file that the last iteration changed, and "--yes" is missing. Nothing was undone.',
    hint: 'See the changes with "ralphd inspect --diff", then add "--yes"; all current files are backed up first.',
  }),
  outputNotWritten: (cause: string) => ({
    code: 'OUTPUT_NOT_WRITTEN',
    exitCode: exitCodes.failed,
    message: `The result could not be written to standard output: ${cause}.`,
    hint: 'Send it to a file or a pipe with enough space; "ralphd status" shows what the loop did.',
  }),
  optionNeedsOption: (option: string, needed: string) => ({
    code: 'OPTION_NEEDS_OPTION',
    exitCode,
    message: `${option} works only together with ${needed}.`,
    hint: `Add ${needed}, or leave out ${option}.`,
  }),
  conflictingOptions: (first: string, second: string) => ({
    code: 'CONFLICTING_OPTIONS',
    exitCode,
    message: `${first} and ${second} contradict each other.`,
    hint: `Leave out ${first} or ${second}.`,
  }),
  revertNotPossible: () => ({
    code: 'REVERT_NOT_POSSIBLE',
    exitCode,
    message: 'The changes of a loop cannot be taken back: ralphd makes no commits of its own. Nothing was done.',
    hint: 'Abort without "--revert"; then take the changes back with git.',
  }),
  settingsNotEdited: (key: string | undefined) => ({
    code: 'SETTINGS_NOT_EDITED',
    exitCode,
    message: 'Settings are not edited by a command. Nothing was changed.',
    hint: `Change ralphd.yml yourself, with "ralphd config explain ${key ?? 'KEY'}" for the meaning of a setting; "ralphd init" writes that file where there is none.`,
  }),
  noCounterpart: (command: string) => ({
    code: 'NO_COUNTERPART',
    exitCode,
    message: `There is nothing that "${command}" could stand for: ralphd keeps no memory across loops. Nothing was done.`,
    hint: 'What a loop learned is in "ralphd report" and "ralphd inspect", and is handed on by "ralphd resume --as-new". Lessons for every prompt go into the prompt file, or to one loop with "ralphd guide".',
  }),
} as const satisfies FailureFamily;
