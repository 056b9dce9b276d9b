import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const exitCode = exitCodes.configuration;

/** What can be wrong with a configuration. */
export const configFailures = {
  configUnreadable: (path: string, cause: string) => ({
    code: 'CONFIG_UNREADABLE',
    exitCode,
    message: `The configuration file ${path} cannot be read: ${cause}.`,
    hint: 'Make sure it is a readable text file, or use another one with "--config FILE".',
  }),
  projectNotTrusted: (folder: string, lines: string, loop?: string) => ({
    code: 'PROJECT_NOT_TRUSTED',
    exitCode,
    message: `${loop === undefined ? folder : `Loop ${loop} in ${folder}`} brings what you have not trusted yet, so nothing of it was run: ${lines}.`,
    hint:
      loop === undefined
        ? 'Read them with "ralphd trust", then run "ralphd trust grant", or add "--trust-project" to this command.'
        : 'If you know this loop, resume it in a terminal, or add "--trust-project" to this command.',
  }),
  trustNotKept: () => ({
    code: 'TRUST_NOT_KEPT',
    exitCode,
    message:
      'There is no folder in which ralphd could remember what you trust: neither HOME nor XDG_STATE_HOME is set.',
    hint: 'Set one of them to an absolute path, or use "--trust-project" with each command.',
  }),
  configTooLarge: (bytes: number, limit: number, largest: string) => ({
    code: 'CONFIG_TOO_LARGE',
    exitCode,
    message: `The settings of the loop are too large to be recorded: they need ${bytes} bytes; the limit is ${limit}. The largest is "${largest}".`,
    hint: 'Shorten that setting; put a long task into a file and pass it with "--prompt-file".',
  }),
  seedMismatch: (mode: string, isGiven: boolean) => ({
    code: 'SEED_MISMATCH',
    exitCode,
    message: isGiven
      ? `"seed" is set, but the execution mode "${mode}" uses none.`
      : `The execution mode "${mode}" needs a "seed".`,
    hint: isGiven ? 'Remove "seed", or set "executionMode" to "seeded" or "strict".' : 'Set "seed" to a whole number.',
  }),
  modeNotRecorded: (mode: string) => ({
    code: 'MODE_NOT_RECORDED',
    exitCode,
    message: `The execution mode "${mode}" records every run, but "history.persist" or "persistence.enabled" is false.`,
    hint: 'Remove those settings, or "executionMode".',
  }),
  modeUnsupported: (mode: string, why: string) => ({
    code: 'EXECUTION_MODE_UNSUPPORTED',
    exitCode,
    message: `The execution mode "${mode}" is not possible here: ${why}.`,
    hint: 'Leave out "executionMode", use "logged", or use the agent "command" with a program that reads RALPHD_SEED and RALPHD_TEMPERATURE.',
  }),
  configExists: (path: string) => ({
    code: 'CONFIG_EXISTS',
    exitCode,
    message: `${path} already exists and was left unchanged.`,
    hint: 'Run "ralphd init --dry-run" to see what a new one would contain, or "ralphd config show" to see the settings in effect.',
  }),
  gitFolder: (path: string) => ({
    code: 'GIT_FOLDER',
    exitCode,
    message: `${path} holds git's own files, not a work tree. Nothing was written.`,
    hint: 'Clone the repository with "git clone", and run ralphd in the clone.',
  }),
  configNotWritten: (path: string, cause: string) => ({
    code: 'CONFIG_NOT_WRITTEN',
    exitCode,
    message: `${path} cannot be written: ${cause}.`,
    hint: 'Make the folder writable, or run "ralphd init --dry-run" and put the printed text there yourself.',
  }),
  configAmbiguous: (first: string, second: string) => ({
    code: 'CONFIG_AMBIGUOUS',
    exitCode,
    message: `Both ${first} and ${second} exist; ralphd reads only one configuration file.`,
    hint: `Move what you need into ${first} and delete ${second}.`,
  }),
  configNotYaml: (where: string, cause: string) => ({
    code: 'CONFIG_NOT_YAML',
    exitCode,
    message: `The configuration at ${where} is not valid YAML: ${cause}.`,
    hint: 'Fix that line; write a setting as "name: value".',
  }),
  configUnknownKey: (key: string, where: string, suggestion?: string) => ({
    code: 'CONFIG_UNKNOWN_KEY',
    exitCode,
    message: `Unknown setting "${key}" (${where}).`,
    hint: suggestion === undefined ? 'See docs/reference/config.md for all settings.' : `Did you mean "${suggestion}"?`,
  }),
  networkWithoutSandbox: (sandbox: string) => ({
    code: 'NETWORK_WITHOUT_SANDBOX',
    exitCode,
    message: `"network" lists the hosts that may be reached, but "sandbox: ${sandbox}" does not restrict the network.`,
    hint: 'Set "sandbox: strict", or remove "network".',
  }),
  sandboxKeepsNothing: () => ({
    code: 'SANDBOX_KEEPS_NOTHING',
    exitCode,
    message:
      '"iteration.keepProcesses" names programs that may keep running, but in a sandbox everything ends with the agent.',
    hint: 'Remove "iteration.keepProcesses" and start those programs yourself, or set "sandbox: off".',
  }),
  hookWithoutSandbox: (name: string) => ({
    code: 'HOOK_WITHOUT_SANDBOX',
    exitCode,
    message: `The hook "${name}" is to run in the sandbox, but "sandbox" is "off".`,
    hint: `Set "sandbox: on", or remove "sandbox" from the hook "${name}".`,
  }),
  sandboxUnavailable: (mode: string, why: string, fix: string) => ({
    code: 'SANDBOX_UNAVAILABLE',
    exitCode,
    message: `"sandbox: ${mode}" is not possible here: ${why}. Nothing was run.`,
    hint: `${fix}`,
  }),
  settingFixed: (setting: string, why: string) => ({
    code: 'SETTING_FIXED',
    exitCode,
    message: `The setting "${setting}" cannot change in an existing loop: ${why}.`,
    hint: 'Start a new loop with this setting.',
  }),
  configUnknownCondition: (type: string, where: string, suggestion?: string) => ({
    code: 'CONFIG_UNKNOWN_CONDITION',
    exitCode,
    message: `Unknown condition type ${type} (${where}).`,
    hint: suggestion === undefined ? 'See docs/stop-rules.md for all types.' : `Did you mean "${suggestion}"?`,
  }),
  configBadValue: (place: string, wanted: string, found: string) => ({
    code: 'CONFIG_BAD_VALUE',
    exitCode,
    message: `${place} must be ${wanted}, but it is ${found}.`,
    hint: 'Fix the value, or remove it to use the default.',
  }),
  unlimitedWithoutBound: () => ({
    code: 'UNLIMITED_WITHOUT_BOUND',
    exitCode,
    message: 'The loop would have no limit: maxIterations is 0 (unlimited) and no other limit is set.',
    hint: 'Add "--max-time", "--max-cost", "--max-tokens" or another limit, or set "--max-iterations" above 0.',
  }),
  sessionNotStored: () => ({
    code: 'SESSION_NOT_STORED',
    exitCode,
    message: 'A session cannot be continued if its id is not recorded (session.persist is false).',
    hint: 'Remove "session.persist: false", or set "session.strategy: fresh".',
  }),
  rebootModeWithoutEffect: (why: string) => ({
    code: 'REBOOT_MODE_WITHOUT_EFFECT',
    exitCode,
    message: `An agent cannot be ended at the redline ("session.reboot.mode: immediate"): ${why}.`,
    hint: 'Set "session.strategy: continue" and "session.autoReboot: true", or "session.reboot.mode: graceful".',
  }),
  redlineNotMeasurable: (agent: string) => ({
    code: 'REDLINE_NOT_MEASURABLE',
    exitCode,
    message: `An agent cannot be ended at the redline ("session.reboot.mode: immediate"): "${agent}" does not report how full its context is while it works.`,
    hint: 'Set "session.reboot.mode: graceful".',
  }),
  changesNotCounted: (setting: string, why: string) => ({
    code: 'CHANGES_NOT_COUNTED',
    exitCode,
    message: `${setting} cannot be enforced: ${why}.`,
    hint: `Remove "${setting}", or set "iteration.trackFileChanges: true"; lines are counted only in a git repository.`,
  }),
  scheduleNeverOpens: (schedule: string) => ({
    code: 'SCHEDULE_NEVER_OPENS',
    exitCode,
    message: `The schedule never lets an iteration start: ${schedule}.`,
    hint: 'Change "schedule.hours", "schedule.days" or "schedule.blackout" so that some time is left.',
  }),
  channelUnusable: (channel: string, why: string) => ({
    code: 'CHANNEL_UNUSABLE',
    exitCode,
    message: `The notification channel "${channel}" cannot be used: ${why}.`,
    hint: 'Provide the secret that the channel refers to, or remove the channel from "notify".',
  }),
  hookUnusable: (hook: string, why: string) => ({
    code: 'HOOK_UNUSABLE',
    exitCode,
    message: `The hook "${hook}" cannot be used: ${why}.`,
    hint: 'Provide the secret that the hook refers to, or remove the hook from "hooks".',
  }),
  noChannels: () => ({
    code: 'NO_CHANNELS',
    exitCode,
    message: 'No notification channel is configured.',
    hint: 'Add one to ralphd.yml, such as "notify: [{ type: desktop }]".',
  }),
  channelUnknown: (channel: string, known: readonly string[]) => ({
    code: 'CHANNEL_UNKNOWN',
    exitCode,
    message: `There is no notification channel "${channel}".`,
    hint: `Choose one of these: ${known.join(', ')}.`,
  }),
  agentCommandMissing: () => ({
    code: 'AGENT_COMMAND_MISSING',
    exitCode,
    message: 'The agent is "command", but no command is set for it.',
    hint: 'Add "--agent-command CMD": a program that reads the prompt from stdin and prints text.',
  }),
  nothingToVerify: (whyNoTests = 'no test command was found') => ({
    code: 'NOTHING_TO_VERIFY',
    exitCode,
    message: `Nothing can verify the result: there is no verify command, and ${whyNoTests}.`,
    hint: 'Add "--verify CMD" with a command that passes only when the task is done, or accept the agent\'s claim unverified with "--trust-promise".',
  }),
  criterionNotACommand: (criterion: string, why: 'no_command' | 'no_test_command') => ({
    code: 'CRITERION_NOT_A_COMMAND',
    exitCode,
    message:
      why === 'no_command'
        ? `ralphd cannot run "${criterion}" as a check: it does not start with a program that is installed here.`
        : `"${criterion}" refers to the project's tests, but ralphd found no command that runs them.`,
    hint: 'Use a command that exits with 0 only when this is true, such as "--verify \'npm test\'"; in ralphd.yml, a list of program and arguments is always run as written.',
  }),
  checkCannotFail: (line: string, why: string, corrected: string) => ({
    code: 'CHECK_CANNOT_FAIL',
    exitCode,
    message: `The check "${line}" can pass even though its test fails: ${why}.`,
    hint: `Use this instead: ${corrected}`,
  }),
  badGlob: (pattern: string) => ({
    code: 'BAD_GLOB',
    exitCode,
    message: `The pattern "${pattern}" in "protect" is malformed and can never match a file.`,
    hint: 'Use .gitignore syntax, such as "tests/" or "*.test.*".',
  }),
  cleanNeedsGit: (folder: string) => ({
    code: 'CLEAN_NEEDS_GIT',
    exitCode,
    message: `The checks cannot run in a clean checkout: ${folder} is not in a git repository.`,
    hint: 'Run "git init" there, or remove "verifyIn: clean" and "protect: strict".',
  }),
  protectedNotKept: (why: string) => ({
    code: 'PROTECTED_NOT_KEPT',
    exitCode,
    message: `The protected files cannot be preserved for "protect: strict": ${why}.`,
    hint: 'Fix that, protect fewer files with "protect", or remove "strict".',
  }),
  notAvailableYet: (setting: string) => ({
    code: 'NOT_AVAILABLE_YET',
    exitCode,
    message: `${setting} is planned, but this version of ralphd does not support it yet.`,
    hint: 'Leave it out for now; CHANGELOG.md will announce it.',
  }),
} as const satisfies FailureFamily;
