import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const exitCode = exitCodes.configuration;

/** What can be wrong with a configuration. */
export const configFailures = {
  configUnreadable: (path: string, cause: string) => ({
    code: 'CONFIG_UNREADABLE',
    exitCode,
    message: `The configuration file ${path} cannot be read: ${cause}.`,
    hint: 'Make it a readable text file, or name another with "--config FILE".',
  }),
  configAmbiguous: (first: string, second: string) => ({
    code: 'CONFIG_AMBIGUOUS',
    exitCode,
    message: `Both ${first} and ${second} exist, and only one of them can be the configuration.`,
    hint: `Move what you need into ${first} and delete ${second}.`,
  }),
  configNotYaml: (where: string, cause: string) => ({
    code: 'CONFIG_NOT_YAML',
    exitCode,
    message: `The configuration at ${where} is not plain YAML: ${cause}.`,
    hint: 'Correct that line; a setting is written as "name: value".',
  }),
  configUnknownKey: (key: string, where: string, suggestion?: string) => ({
    code: 'CONFIG_UNKNOWN_KEY',
    exitCode,
    message: `There is no setting "${key}" (${where}).`,
    hint: suggestion === undefined ? 'Run "ralphd config" to see every setting.' : `Did you mean "${suggestion}"?`,
  }),
  configUnknownCondition: (type: string, where: string, suggestion?: string) => ({
    code: 'CONFIG_UNKNOWN_CONDITION',
    exitCode,
    message: `There is no condition of the type ${type} (${where}).`,
    hint: suggestion === undefined ? 'See docs/stop-rules.md for every type.' : `Did you mean "${suggestion}"?`,
  }),
  configUnknownVariable: (variable: string, suggestion: string) => ({
    code: 'CONFIG_UNKNOWN_VARIABLE',
    exitCode,
    message: `The environment variable ${variable} is not a setting of ralphd, but its name is close to one.`,
    hint: `Did you mean ${suggestion}? If not, unset ${variable}.`,
  }),
  configBadValue: (place: string, wanted: string, found: string) => ({
    code: 'CONFIG_BAD_VALUE',
    exitCode,
    message: `${place} must be ${wanted}, but it is ${found}.`,
    hint: 'Change the value there, or remove it to get the default.',
  }),
  unlimitedWithoutBound: () => ({
    code: 'UNLIMITED_WITHOUT_BOUND',
    exitCode,
    message: 'The loop may run any number of iterations (maxIterations is 0), and nothing else bounds it.',
    hint: 'Add "--max-time", "--max-cost", "--max-tokens" or another bound, or give "--max-iterations" a number above 0.',
  }),
  agentCommandMissing: () => ({
    code: 'AGENT_COMMAND_MISSING',
    exitCode,
    message: 'The agent "command" is chosen, but not which command it is.',
    hint: 'Add "--agent-command CMD": a program that reads the prompt on stdin and prints text.',
  }),
  nothingToVerify: (command?: string, program?: string) => ({
    code: 'NOTHING_TO_VERIFY',
    exitCode,
    message:
      command === undefined
        ? 'Nothing could prove that the task is done: there is no verify command, and no test command was found.'
        : `Nothing could prove that the task is done: there is no verify command, and "${command}" cannot be run, because there is no program "${program}".`,
    hint: 'Add "--verify CMD" with a command that passes only when the task is done, or accept the agent\'s word with "--trust-promise".',
  }),
  criterionNotACommand: (said: string, why: 'no_command' | 'no_test_command') => ({
    code: 'CRITERION_NOT_A_COMMAND',
    exitCode,
    message:
      why === 'no_command'
        ? `"${said}" is nothing that ralphd could run: it does not begin with a program that is here.`
        : `"${said}" speaks of the project's tests, but no command was found that runs them here.`,
    hint: 'Give the command that exits 0 only when it is so, such as "--verify \'npm test\'"; in a file, a list of a program and its arguments is taken as it is.',
  }),
  checkCannotFail: (line: string, why: string, corrected: string) => ({
    code: 'CHECK_CANNOT_FAIL',
    exitCode,
    message: `The check "${line}" can pass although its test fails: ${why}.`,
    hint: `Use this line instead: ${corrected}`,
  }),
  badGlob: (pattern: string) => ({
    code: 'BAD_GLOB',
    exitCode,
    message: `The pattern "${pattern}" of "protect" could never match a file: it is malformed.`,
    hint: 'Write it as a .gitignore file would have it, such as "tests/" or "*.test.*".',
  }),
  cleanNeedsGit: (folder: string) => ({
    code: 'CLEAN_NEEDS_GIT',
    exitCode,
    message: `The checks are to run in a clean checkout, but ${folder} is not in a git repository.`,
    hint: 'Run "git init" there, or leave out "verifyIn: clean" and "protect: strict".',
  }),
  protectedNotKept: (why: string) => ({
    code: 'PROTECTED_NOT_KEPT',
    exitCode,
    message: `The protected files cannot be kept as they are for "protect: strict": ${why}.`,
    hint: 'Mend that, name fewer files in "protect", or leave out "strict".',
  }),
  notAvailableYet: (setting: string) => ({
    code: 'NOT_AVAILABLE_YET',
    exitCode,
    message: `${setting} is part of the design, but this version of ralphd cannot do it yet.`,
    hint: 'Leave it out for now; CHANGELOG.md says when it arrives.',
  }),
} as const satisfies FailureFamily;
