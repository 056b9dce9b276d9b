// Generated from the schemas by "npm run docs"; edit those instead.

import type { ChannelType, HookPoint, NotifyPriority, NotifyTrigger } from '../words.ts';
/** Every setting of a loop, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type LoopConfigInput = {
  /** Folder in which the agent works. Default: `"."`. */
  workingDir?: string | undefined;
  /** The task as text. */
  prompt?: string | undefined;
  /** File with the task, relative to workingDir; by default PROMPT.md or prompt.md. */
  promptPath?: string | undefined;
  /** Values for {{name}} in the prompt file; values from several sources are merged. */
  vars?: Record<string, string> | undefined;
  /** Maximum number of iterations; 0 means unlimited and requires another limit. Default: `100`. */
  maxIterations?: number | undefined;
  /** Maximum running time of the loop, not counting pauses. */
  maxTime?: string | undefined;
  /** Maximum cost in USD, as reported by the agent. */
  maxCostUsd?: number | undefined;
  /** Maximum number of tokens, including input and cache. */
  maxTokens?: number | undefined;
  /** Maximum number of output tokens. */
  maxOutputTokens?: number | undefined;
  /** Maximum number of tool calls, including those of subagents if the agent reports them. */
  maxToolCalls?: number | undefined;
  /** Maximum number of different files that the loop may change. */
  maxFilesChanged?: number | undefined;
  /** Maximum number of lines that the loop may add and remove, summed over its iterations; needs git. */
  maxLinesChanged?: number | undefined;
  /** Maximum number of reboots, each of which starts a new session. */
  maxReboots?: number | undefined;
  /** What a loop may use of the machine and of the provider. */
  resources?:
    | {
        /** Maximum number of API calls of the agent in any hour; the loop waits until it may continue. */
        apiCallsPerHour?: number | undefined;
        /** Maximum memory of the agent and everything it starts; more ends the run, which counts as failed. */
        maxMemory?: string | undefined;
        /** Minimum free space for the working directory and the state; with less, the loop pauses. */
        minFreeDisk?: string | undefined;
      }
    | undefined;
  /** Delay between iterations. Default: `"5s"`. */
  iterationDelay?: string | undefined;
  /** Usage of the model's context window, in percent, at which the next iteration starts a new session. Default: `85`. */
  contextRedlinePercent?: number | undefined;
  /** Whether a person confirms each iteration, as with "mode: attended". Default: `false`. */
  attended?: boolean | undefined;
  /** Whether the loop runs on its own ("unattended"), asks before each step ("attended"), or asks now and then ("hybrid"); decides if "attended" is set too. */
  mode?: 'unattended' | 'attended' | 'hybrid' | undefined;
  /** Times at which the loop switches to another mode. */
  modeSchedule?:
    | Array<{
        /** Time of the day at which the loop switches. */
        at: string;
        /** Mode to switch to. */
        mode: 'unattended' | 'attended' | 'hybrid';
        /** Days on which it switches; every day by default. */
        days?: Array<'sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat'> | undefined;
        /** Time zone of the time; the machine's own by default. */
        timeZone?: string | undefined;
      }>
    | undefined;
  /** When a loop asks a person, and how long it waits for the decision. */
  ask?:
    | {
        /** What an attended loop asks before: each iteration and completion, or only completion. Default: `"iteration"`. */
        before?: 'iteration' | 'completion' | undefined;
        /** How long to wait for a decision before the loop continues by itself; in hybrid mode 1m by default. */
        autoApproveAfter?: string | undefined;
        /** Where to ask in every mode: numbers of iterations, "test_regression" or "completion". */
        breakpoints?: Array<number | 'test_regression' | 'completion'> | undefined;
        /** In hybrid mode, ask after this many iterations without a decision. Default: `10`. */
        everyIterations?: number | undefined;
        /** In hybrid mode, ask after this many changed files without a decision. Default: `5`. */
        everyFiles?: number | undefined;
        /** In hybrid mode, switch to attended after this many consecutive failed iterations; 0 disables this. Default: `3`. */
        onFailures?: number | undefined;
        /** In hybrid mode, switch to attended after an iteration with more failing tests than before. Default: `true`. */
        onTestRegression?: boolean | undefined;
        /** In hybrid mode, switch to attended when the agent's output matches one of these regular expressions. */
        onPatterns?: string[] | undefined;
      }
    | undefined;
  /** Text in the promise tag with which the agent claims completion; null for no promise. Default: `"DONE"`. */
  completionPromise?: string | null | undefined;
  /** Whether the promise must be the last line of the answer or may appear anywhere in it. Default: `"strict"`. */
  promiseMatch?: 'strict' | 'anywhere' | undefined;
  /** Commands that must all exit with 0 before the loop can complete. */
  verify?: Array<string | [string, ...string[]]> | undefined;
  /** Where the checks run: in the work tree, in a temporary checkout without ignored files, or sealed off from the agent. Default: `"tree"`. */
  verifyIn?: 'tree' | 'clean' | 'sealed' | undefined;
  /** Commands that install changed dependencies for sealed checks; detected for common tools. */
  setup?: string | Array<string | [string, ...string[]]> | undefined;
  /** Ignored folders that a clean checkout shares with the work tree; sealed checks get a copy from the start of the loop, and may read absolute paths. */
  verifyShare?: string[] | undefined;
  /** Files the agent should not change, by default tests; "strict" runs the checks with the original files. */
  protect?:
    | string
    | string[]
    | {
        /** Patterns in .gitignore syntax; by default the usual locations of tests. */
        paths?: string[] | undefined;
        /** Whether to report changes, to stop the loop after them, or to run the checks with the original files. Default: `"report"`. */
        mode?: 'report' | 'stop' | 'strict' | undefined;
      }
    | undefined;
  /** Maximum time for each verify command. Default: `"10m"`. */
  verifyTimeout?: string | undefined;
  /** Whether the project's own test command, if found, must pass as well. Default: `true`. */
  autoTest?: boolean | undefined;
  /** Run the checks after every Nth iteration even without a claim, to follow the tests; 0 for never. Completion still needs a claim. Default: `0`. */
  testEvery?: number | undefined;
  /** Whether checks count as passed only if the files they depend on are unchanged; changes to other files that affect them are reported. Default: `true`. */
  guard?: boolean | undefined;
  /** Whether to run the checks once before the first iteration. Default: `true`. */
  baseline?: boolean | undefined;
  /** Whether a loop may start even though its checks cannot run yet, when the task is to write or repair them. Default: `false`. */
  allowBrokenBaseline?: boolean | undefined;
  /** Whether to accept the agent's claim without verification when there are no checks. Default: `false`. */
  trustPromise?: boolean | undefined;
  /** What the agent may do without asking. Default: `"edit"`. */
  permissions?: 'ask' | 'edit' | 'full' | undefined;
  /** Agent to run. Default: `"claude"`. */
  agent?: 'claude' | 'codex' | 'gemini' | 'opencode' | 'command' | 'demo' | undefined;
  /** For the agent "command": the program to run; it reads the prompt from stdin and prints text. */
  agentCommand?: string | [string, ...string[]] | undefined;
  /** Model for the agent to use. */
  model?: string | undefined;
  /** Additional arguments for the agent. */
  agentArgs?: string[] | undefined;
  /** Settings of each agent. */
  agents?:
    | {
        /** How the agent claude is started. */
        claude?:
          | {
              /** Name or path of the agent's program. Default: `"claude"`. */
              command?: string | undefined;
            }
          | undefined;
        /** How the agent codex is started. */
        codex?:
          | {
              /** Name or path of the agent's program. Default: `"codex"`. */
              command?: string | undefined;
            }
          | undefined;
        /** How the agent gemini is started. */
        gemini?:
          | {
              /** Name or path of the agent's program. Default: `"gemini"`. */
              command?: string | undefined;
            }
          | undefined;
        /** How the agent opencode is started. */
        opencode?:
          | {
              /** Name or path of the agent's program. Default: `"opencode"`. */
              command?: string | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Whether the agent inherits your environment, without secrets of others ("inherit"), or only usual variables, its own and those in envAllow ("strict"). Default: `"inherit"`. */
  env?: 'inherit' | 'strict' | undefined;
  /** Environment variables that the agent gets with "env: strict"; a name may end in "*". */
  envAllow?: string[] | undefined;
  /** Whether the agent and the checks run in a sandbox: "on" restricts files and processes, "strict" also the network and the environment. Default: `"off"`. */
  sandbox?: 'off' | 'on' | 'strict' | undefined;
  /** Folders and files that a sandbox treats differently. */
  sandboxPaths?:
    | {
        /** Folders outside the work tree that may also be written, such as "~/.cache/pip". */
        write?: string[] | undefined;
        /** Folders and files that may be read although a sandbox hides them, such as "/run/postgresql". */
        show?: string[] | undefined;
        /** Further folders and files that appear empty. */
        hide?: string[] | undefined;
      }
    | undefined;
  /** With "sandbox: strict", the hosts that may be reached besides those of the agent, each with the ports 80 and 443 or its own. */
  network?: string[] | undefined;
  /** Settings of one iteration. */
  iteration?: IterationConfigInput | undefined;
  /** Commands and web addresses that are run and called at certain points of the loop. */
  hooks?: HookConfigInput[] | undefined;
  /** Where to send notifications about the loop. */
  notify?: ChannelConfigInput[] | undefined;
  /** Rules that stop a loop that makes no progress. */
  stopConditions?: StopConditionsConfigInput | undefined;
  /** What counts as progress. */
  progress?: ProgressConfigInput | undefined;
  /** How the agent's sessions are used. */
  session?: SessionConfigInput | undefined;
  /** Whether reaching a limit ends the loop permanently or pauses it so that it can be resumed. Default: `"fail"`. */
  onLimit?: 'fail' | 'pause' | undefined;
  /** When the budget for time, tokens, tool calls or cost is used up: "cut" stops the agent, "finish" lets it finish the iteration, "strict" stops it and does not count results beyond the budget. Default: `"cut"`. */
  budgetPolicy?: 'cut' | 'finish' | 'strict' | undefined;
  /** Whether to wait for the provider's usage limit to reset, or to stop. Default: `"wait"`. */
  onProviderLimit?: 'wait' | 'stop' | undefined;
  /** When iterations may start; outside these times the loop waits, but finishes an iteration under way. */
  schedule?:
    | {
        /** Hours in which an iteration may start, such as "22:00-07:00"; the whole day by default. */
        hours?: string | undefined;
        /** Days on which these hours begin; every day by default. */
        days?: Array<'sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat'> | undefined;
        /** Hours, dates, and ranges of dates such as "2026-12-24/2027-01-02" in which no iteration may start. */
        blackout?: string[] | undefined;
        /** Time zone of the hours and dates; the machine's own by default. */
        timeZone?: string | undefined;
      }
    | undefined;
  /** What is kept of past iterations. */
  history?: HistoryConfigInput | undefined;
  /** Folder for the state of all loops, relative to workingDir. Default: `".ralph"`. */
  stateDir?: string | undefined;
  /** Whether the loop gets a git worktree and a branch "ralphd/NAME" of its own; a text is the NAME. Default: `false`. */
  worktree?: boolean | string | undefined;
  /** Folder for these worktrees; by default REPOSITORY.worktrees next to the repository. */
  worktreeDir?: string | undefined;
  /** Commands that prepare a new worktree, such as "npm ci", and the merged tree before "ralphd land" runs the checks. */
  worktreeSetup?: string | Array<string | [string, ...string[]]> | undefined;
  /** How "ralphd land" brings the branch of a loop back: "auto" fast-forwards if possible and merges otherwise. Default: `"auto"`. */
  land?: 'auto' | 'merge' | 'ff-only' | 'squash' | undefined;
  /** Whether iterations, changed files, decisions and commands are also appended to "audit.log" in stateDir. Default: `false`. */
  audit?: boolean | undefined;
  /** How state is kept on disk. */
  persistence?: PersistenceConfigInput | undefined;
  /** Backups outside the state folder, for the day on which the machine is gone. */
  backup?: BackupConfigInput | undefined;
  /** Whether the loop refuses to share its working directory with other loops. Default: `false`. */
  exclusive?: boolean | undefined;
  /** Number of iterations between checkpoints. Default: `1`. */
  checkpointInterval?: number | undefined;
  /** How reproducible runs are: "logged" keeps all output of the agent; "seeded" and "strict" also demand a temperature (0.7, 0) and the seed of an agent that takes them. Default: `"default"`. */
  executionMode?: 'strict' | 'seeded' | 'logged' | 'default' | undefined;
  /** Seed for the model; required by, and only for, the execution modes "seeded" and "strict". */
  seed?: number | undefined;
  /** Id of the loop; generated from the task by default. */
  loopId?: string | undefined;
};

/** Settings of one iteration, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type IterationConfigInput = {
  /** Maximum time for one iteration before it is stopped. Default: `"30m"`. */
  timeout?: string | undefined;
  /** Maximum time without any activity of the agent before it is stopped. Default: `"15m"`. */
  idleTimeout?: string | undefined;
  /** Maximum time until the first output of the agent. Default: `"2m"`. */
  startTimeout?: string | undefined;
  /** Time the agent has to exit after reporting its result. Default: `"15s"`. */
  resultGrace?: string | undefined;
  /** Time between asking a process to terminate and killing it. Default: `"10s"`. */
  killGrace?: string | undefined;
  /** Maximum output of the agent in one iteration, in bytes, before it is stopped. Default: `4294967296`. */
  maxOutput?: number | undefined;
  /** Names of programs that may keep running after the agent ends. */
  keepProcesses?: string[] | undefined;
  /** If ralphd dies: "adopt" lets the agent keep running until ralphd resumes the loop, "end" stops the agent. Default: `"adopt"`. */
  onRunnerLoss?: 'adopt' | 'end' | undefined;
  /** Environment variables set for the agent. */
  env?: Record<string, string> | undefined;
  /** Whether to record which files an iteration changes. Default: `true`. */
  trackFileChanges?: boolean | undefined;
  /** Whether to read test counts from command output. Default: `true`. */
  parseTests?: boolean | undefined;
};

/** Rules that stop a loop that makes no progress, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type StopConditionsConfigInput = {
  /** Stop after the same error this many times in a row; 0 disables the rule. Default: `3`. */
  maxSameErrorStreak?: number | undefined;
  /** Stop after this many consecutive failed iterations; 0 disables the rule. Default: `5`. */
  maxIterationFailureStreak?: number | undefined;
  /** Stop after this many consecutive iterations without fewer failing tests; 0 disables the rule. Default: `3`. */
  maxTestFailureStreak?: number | undefined;
  /** Stop after this many consecutive iterations without progress; 0 disables the rule. Default: `5`. */
  maxNoProgressIterations?: number | undefined;
  /** Stop when an error matches one of these regular expressions. */
  stopOnPatterns?: string[] | undefined;
  /** Commands to run after each iteration; the loop stops when one of them exits with 0. */
  customScripts?: Array<string | [string, ...string[]]> | undefined;
  /** Maximum time for each of customScripts. Default: `"30s"`. */
  scriptTimeout?: string | undefined;
  /** Stop when one of these conditions is met after an iteration. */
  stop?: ConditionInput[] | undefined;
  /** Run the checks, as after a claim, when one of these conditions is met. */
  success?: ConditionInput[] | undefined;
  /** Stop when one of these conditions is met, even if a success condition is met as well. */
  failure?: ConditionInput[] | undefined;
};

/** What counts as progress, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type ProgressConfigInput = {
  /** Which signs of progress count: all of them, or one kind only. Default: `"combined"`. */
  strategy?: 'combined' | 'file_changes' | 'test_results' | 'custom_markers' | 'metric_velocity' | undefined;
  /** Custom metrics; a new best value counts as progress. */
  metrics?: MetricConfigInput[] | undefined;
};

/** How the agent's sessions are used, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type SessionConfigInput = {
  /** Whether each iteration starts a new session or continues the previous one up to the redline. Default: `"fresh"`. */
  strategy?: 'fresh' | 'continue' | undefined;
  /** Maximum age of a session that is continued. Default: `"1h"`. */
  timeout?: string | undefined;
  /** Usage of the model's context window, in percent, at which a reboot is recommended. Default: `70`. */
  warningPercent?: number | undefined;
  /** Whether a session that is continued is rebooted automatically; otherwise only on command. Default: `true`. */
  autoReboot?: boolean | undefined;
  /** When a session that is continued is rebooted before it is full. */
  reboot?:
    | {
        /** Whether an agent whose session reaches the redline finishes its iteration first ("graceful"), or is ended at once ("immediate"); its work is kept. Default: `"graceful"`. */
        mode?: 'graceful' | 'immediate' | undefined;
        /** Reboot when the latest five iterations of a session show that its work gets worse. Default: `true`. */
        onDegradation?: boolean | undefined;
        /** Reboot after this many iterations in one session. */
        afterIterations?: number | undefined;
        /** Reboot when the agent's text matches one of these regular expressions. */
        patterns?: string[] | undefined;
        /** Minimum number of iterations in a session before "onDegradation" or "patterns" reboots it. Default: `3`. */
        minIterations?: number | undefined;
        /** Minimum time between two reboots, unless a session is full or too old. Default: `"5m"`. */
        minInterval?: string | undefined;
        /** Maximum number of reboots within an hour, unless a session is full or too old. Default: `10`. */
        maxPerHour?: number | undefined;
        /** Wait after a failed reboot, multiplied by the number of failures in a row. Default: `"60s"`. */
        cooldown?: string | undefined;
      }
    | undefined;
  /** Whether the end of "progress.md" in stateDir, if there is such a file, is quoted in every prompt. Default: `true`. */
  progressNotes?: boolean | undefined;
  /** Maximum size, in bytes, of the handover text for a new session after a reboot. Default: `50000`. */
  handOffBytes?: number | undefined;
  /** Number of recent commits listed in a handover; 0 for none. Default: `5`. */
  handOffCommits?: number | undefined;
  /** Whether a handover includes the test results. Default: `true`. */
  handOffTests?: boolean | undefined;
  /** Files in workingDir whose content a handover includes, as far as it fits. */
  handOffFiles?: string[] | undefined;
  /** Whether the ids of sessions are recorded; must be true for the strategy "continue". Default: `true`. */
  persist?: boolean | undefined;
};

/** What is kept of past iterations, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type HistoryConfigInput = {
  /** Number of iteration records a running loop keeps in memory. Default: `100`. */
  maxInMemory?: number | undefined;
  /** Whether iteration records are kept on disk. Default: `true`. */
  persist?: boolean | undefined;
  /** File, relative to workingDir, that also gets the record of every iteration, as a JSON list. */
  persistPath?: string | undefined;
};

/** How state is kept on disk, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type PersistenceConfigInput = {
  /** Whether the loop's state is kept on disk. Default: `true`. */
  enabled?: boolean | undefined;
  /** How often usage counters and the heartbeat are saved during an iteration. Default: `"30s"`. */
  autoSaveInterval?: string | undefined;
  /** Number of backups of the state to keep. Default: `10`. */
  maxBackups?: number | undefined;
  /** Whether state.json and backups are compressed; other programs then cannot read state.json. Default: `false`. */
  compress?: boolean | undefined;
  /** Whether the state is encrypted on disk; needs a key ("ralphd key"). Default: `false`. */
  encrypt?: boolean | undefined;
  /** Whether state.json is encrypted too; if not, other programs can read it. Default: `true`. */
  encryptSnapshot?: boolean | undefined;
  /** File with the key, relative to workingDir; better outside the project. */
  keyFile?: string | undefined;
};

/** Backups outside the state folder, for the day on which the machine is gone, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type BackupConfigInput = {
  /** Where the loop is backed up to after each checkpoint and at its end. */
  targets?: BackupTargetConfigInput[] | undefined;
  /** Public keys of age for which backups are encrypted; without them, targets get clear text. */
  recipients?: string[] | undefined;
  /** Number of backups of a loop that a target keeps at least. Default: `20`. */
  keep?: number | undefined;
  /** Backups that are younger than this many days are kept too. Default: `7`. */
  keepDays?: number | undefined;
  /** How long a run that is over waits for backups under way. Default: `"10s"`. */
  grace?: string | undefined;
};

/** One hook: a user’s command or web address that is run or called at certain points of a loop, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type HookConfigInput = {
  /** Name of the hook in facts and messages. */
  name: string;
  /** When it runs. */
  at: HookPoint[];
  /** Command to run in the working directory; it gets a JSON object on stdin. */
  run?: string | [string, ...string[]] | undefined;
  /** Instead of "run": where to post that JSON object. */
  url?: string | undefined;
  /** For url: key of the signature, as "env:NAME" or "file:PATH". */
  secret?: string | undefined;
  /** Maximum time before the hook is ended. Default: `"30s"`. */
  timeout?: string | undefined;
  /** Hooks with a higher priority run first. Default: `0`. */
  priority?: number | undefined;
  /** Whether the hook is enabled. Default: `true`. */
  enabled?: boolean | undefined;
  /** Run only in every Nth iteration. Default: `1`. */
  everyN?: number | undefined;
  /** Run only while the loop is in one of these modes. */
  inMode?: Array<'unattended' | 'attended' | 'hybrid'> | undefined;
  /** Run only after an iteration, or at the end of a loop, with one of these statuses. */
  ifStatus?: Array<'completed' | 'failed' | 'timed_out'> | undefined;
  /** Run only when the checks passed, or failed. */
  ifTestStatus?: 'passed' | 'failed' | undefined;
  /** Run only when the error, the summary or the output of a check matches this regular expression. */
  ifPattern?: string | undefined;
  /** Whether the command runs in the loop's sandbox. */
  sandbox?: boolean | undefined;
  /** Whether the loop pauses when this hook fails. Default: `false`. */
  fatal?: boolean | undefined;
};

/** One channel for notifications, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type ChannelConfigInput = {
  /** How notifications are sent. */
  type: ChannelType;
  /** Name of the channel in messages and in the history; its type by default. */
  name?: string | undefined;
  /** Which notifications are sent; all by default. */
  on?: NotifyTrigger[] | undefined;
  /** Lowest priority that is sent; by default "normal", or "low" if "on" is set. */
  minPriority?: NotifyPriority | undefined;
  /** For webhook, ntfy, slack and discord: where to post; slack and discord take "env:NAME" or "file:PATH". */
  url?: string | undefined;
  /** For webhook: key of the signature, as "env:NAME" or "file:PATH". */
  secret?: string | undefined;
  /** For ntfy: access token, as "env:NAME" or "file:PATH". */
  token?: string | undefined;
  /** For command: the command to run; it gets a JSON object on stdin. */
  run?: string | [string, ...string[]] | undefined;
  /** For log: the file to append to, relative to workingDir. */
  path?: string | undefined;
  /** Title of every message, such as "{{loopId}} is {{status}}". */
  title?: string | undefined;
  /** Text of every message, such as "{{task}}: {{text}}". */
  text?: string | undefined;
  /** Maximum time for one delivery, including retries. Default: `"10s"`. */
  timeout?: string | undefined;
  /** Minimum time between two notifications about the same trigger. Default: `"1m"`. */
  minInterval?: string | undefined;
  /** Maximum number of notifications in an hour. Default: `20`. */
  maxPerHour?: number | undefined;
  /** How long to wait for more to report, so that a burst becomes one notification. Default: `"5s"`. */
  debounce?: string | undefined;
  /** Hours in which only critical notifications are sent, such as "22:00-07:00"; the rest follows in one. */
  quietHours?: string | undefined;
  /** Time zone of quietHours; the machine's own by default. */
  timeZone?: string | undefined;
};

/** One place outside the machine that gets backups, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type BackupTargetConfigInput = {
  /** What the target is. */
  type: 'folder' | 's3' | 'command';
  /** Name of the target in messages; its type by default. */
  name?: string | undefined;
  /** For folder: an existing folder outside the working directory, such as that of a network drive. */
  path?: string | undefined;
  /** For s3: the bucket. */
  bucket?: string | undefined;
  /** For s3: what the names of all objects begin with, such as "team/ralphd". */
  prefix?: string | undefined;
  /** For s3: the URL of the server; that of AWS by default. */
  endpoint?: string | undefined;
  /** For s3: the region; by default AWS_REGION, or "us-east-1". */
  region?: string | undefined;
  /** For s3: whether the bucket is part of the path instead of the host; by default if "endpoint" is set. */
  pathStyle?: boolean | undefined;
  /** For s3: the access key, as "env:NAME" or "file:PATH". */
  accessKeyId?: string | undefined;
  /** For s3: the secret key, as "env:NAME" or "file:PATH". */
  secretAccessKey?: string | undefined;
  /** For s3: the session token, as "env:NAME" or "file:PATH". */
  sessionToken?: string | undefined;
  /** For s3: profile in AWS's credentials file; without keys and profile, AWS's own variables are read first. */
  profile?: string | undefined;
  /** For command: stores the new files of a backup; it gets their list as a JSON object on stdin. */
  run?: string | [string, ...string[]] | undefined;
  /** Maximum bandwidth, in bytes per second; unlimited by default. */
  maxBytesPerSecond?: number | undefined;
  /** Maximum time for one request, or for one run of the command. Default: `"1m"`. */
  timeout?: string | undefined;
};

/** One custom metric that counts as progress, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type MetricConfigInput = {
  /** Name of the metric. */
  name: string;
  /** Regular expression applied to each line; its first capture group is the number. */
  pattern: string;
  /** File written by the checks that contains the number; by default their output is searched. */
  file?: string | undefined;
  /** Whether higher or lower values are better. Default: `"up"`. */
  direction?: 'up' | 'down' | undefined;
  /** How much an improvement adds to an iteration's score. Default: `0.2`. */
  weight?: number | undefined;
};

/** A condition without nested conditions, as written: settings with a default are optional, durations are texts such as `1h 30m`. */
export type LeafConditionInput =
  | {
      type: 'max_iterations';
      count: number;
    }
  | {
      type: 'max_duration';
      duration: string;
    }
  | {
      type: 'test_failure_streak';
      count: number;
    }
  | {
      type: 'all_tests_pass';
    }
  | {
      type: 'specific_tests_pass';
      tests: string[];
    }
  | {
      type: 'no_progress';
      count: number;
    }
  | {
      type: 'file_created';
      path: string;
    }
  | {
      type: 'file_contains';
      path: string;
      /** Literal text to look for. */
      text?: string | undefined;
      /** Regular expression to look for. */
      pattern?: string | undefined;
    }
  | {
      type: 'output_pattern';
      /** Literal text to look for. */
      text?: string | undefined;
      /** Regular expression to look for. */
      pattern?: string | undefined;
    }
  | {
      type: 'on_error';
      pattern?: string | undefined;
    }
  | {
      type: 'custom_script';
      run: string | [string, ...string[]];
      /** Default: `"5s"`. */
      timeout?: string | undefined;
    }
  | {
      type: 'user_signal';
      /** Default: `"ralphd.stop"`. */
      path?: string | undefined;
    }
  | {
      type: 'never';
    };

/** One condition, as it is written. */
export type ConditionInput =
  | LeafConditionInput
  | { readonly type: 'all' | 'any'; readonly conditions: readonly ConditionInput[] }
  | { readonly type: 'not'; readonly condition: ConditionInput };
