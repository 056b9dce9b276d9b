import * as z from 'zod';
import { agentNames, type KnownAgent, knownAgents } from '../agents.ts';
import { modes } from '../modes.ts';
import { promptVariables } from '../prompt/variables.ts';
import { type StreakSetting, stopReasonTable, streakRules } from '../stop-reasons.ts';
import { askSchema } from './ask.ts';
import { backupSchema } from './backup.ts';
import { conditionSet } from './condition-set.ts';
import { countLeaves } from './condition-tree.ts';
import { hooksSchema } from './hooks.ts';
import type { LoopConfig } from './loop-config.ts';
import type { LoopConfigInput } from './loop-config-input.ts';
import { notifySchema } from './notify.ts';
import { defaultPlaces } from './places.ts';
import { progressSchema } from './progress.ts';
import { protectSchema } from './protect.ts';
import { networkSchema, sandboxModes, sandboxPathsSchema } from './sandbox.ts';
import { modeScheduleSchema, scheduleSchema } from './schedule-schema.ts';
import { sessionSchema } from './session.ts';
import {
  amount,
  argument,
  choice,
  command,
  commands,
  count,
  duration,
  group,
  list,
  promise,
  size,
  text,
  toggle,
  variablePattern,
  variables,
  worktree,
} from './settings.ts';

const agentSchema = (binary: string) =>
  group({ command: text().default(binary).describe("Name or path of the agent's program.") })
    .prefault({})
    .describe(`How the agent ${binary} is started.`);

const agentSchemas = Object.fromEntries(knownAgents.map((name) => [name, agentSchema(name)])) as Readonly<
  Record<KnownAgent, ReturnType<typeof agentSchema>>
>;

const iterationSchema = group({
  timeout: duration({ min: 1 }).prefault('30m').describe('Maximum time for one iteration before it is stopped.'),
  idleTimeout: duration({ min: 1 })
    .prefault('15m')
    .describe('Maximum time without any activity of the agent before it is stopped.'),
  startTimeout: duration({ min: 1 }).prefault('2m').describe('Maximum time until the first output of the agent.'),
  resultGrace: duration().prefault('15s').describe('Time the agent has to exit after reporting its result.'),
  killGrace: duration().prefault('10s').describe('Time between asking a process to terminate and killing it.'),
  maxOutput: count(1, Number.MAX_SAFE_INTEGER)
    .default(4 * 1024 ** 3)
    .describe('Maximum output of the agent in one iteration, in bytes, before it is stopped.'),
  keepProcesses: list(text().regex(/^[^/]*$/, { error: 'the name of a program, without a path' }))
    .default([])
    .describe('Names of programs that may keep running after the agent ends.'),
  onRunnerLoss: choice(['adopt', 'end'])
    .default('adopt')
    .describe(
      'If ralphd dies: "adopt" lets the agent keep running until ralphd resumes the loop, "end" stops the agent.',
    ),
  env: variables().default({}).describe('Environment variables set for the agent.'),
  trackFileChanges: toggle().default(true).describe('Whether to record which files an iteration changes.'),
  parseTests: toggle().default(true).describe('Whether to read test counts from command output.'),
});

/** Each condition may read a file or run a program after every iteration. */
const maxConditions = 50;

const stopConditionsSchema = group({
  ...streakSettings(),
  stopOnPatterns: list(text()).default([]).describe('Stop when an error matches one of these regular expressions.'),
  customScripts: list(command())
    .default([])
    .describe('Commands to run after each iteration; the loop stops when one of them exits with 0.'),
  scriptTimeout: duration({ min: 1 }).prefault('30s').describe('Maximum time for each of customScripts.'),
  stop: conditionSet().describe('Stop when one of these conditions is met after an iteration.'),
  success: conditionSet().describe('Run the checks, as after a claim, when one of these conditions is met.'),
  failure: conditionSet().describe(
    'Stop when one of these conditions is met, even if a success condition is met as well.',
  ),
}).refine(
  ({ stop, success, failure, customScripts }) =>
    countLeaves([...stop, ...success, ...failure]) + customScripts.length <= maxConditions,
  { error: `a mapping with at most ${maxConditions} conditions and scripts in all` },
);

/** The number of each rule that counts iterations in a row. */
function streakSettings() {
  const setting = ({ max, help }: { readonly max: number; readonly help: string }) =>
    count(0).default(max).describe(help);
  const rows = streakRules.map((rule) => stopReasonTable[rule].streak);
  return Object.fromEntries(rows.map((row) => [row.setting, setting(row)])) as Record<
    StreakSetting,
    ReturnType<typeof setting>
  >;
}

const historySchema = group({
  maxInMemory: count(1).default(100).describe('Number of iteration records a running loop keeps in memory.'),
  persist: toggle().default(true).describe('Whether iteration records are kept on disk.'),
  persistPath: text()
    .optional()
    .describe('File, relative to workingDir, that also gets the record of every iteration, as a JSON list.'),
});

const persistenceSchema = group({
  enabled: toggle().default(true).describe("Whether the loop's state is kept on disk."),
  autoSaveInterval: duration({ min: 1 })
    .prefault('30s')
    .describe('How often usage counters and the heartbeat are saved during an iteration.'),
  maxBackups: count(0).default(10).describe('Number of backups of the state to keep.'),
  compress: toggle()
    .default(false)
    .describe('Whether state.json and backups are compressed; other programs then cannot read state.json.'),
  encrypt: toggle().default(false).describe('Whether the state is encrypted on disk; needs a key ("ralphd key").'),
  encryptSnapshot: toggle()
    .default(true)
    .describe('Whether state.json is encrypted too; if not, other programs can read it.'),
  keyFile: text().optional().describe('File with the key, relative to workingDir; better outside the project.'),
});

const mebibyte = 1024 ** 2;

const resourcesSchema = group({
  apiCallsPerHour: count(1)
    .optional()
    .describe('Maximum number of API calls of the agent in any hour; the loop waits until it may continue.'),
  maxMemory: size({ min: 64 * mebibyte })
    .optional()
    .describe('Maximum memory of the agent and everything it starts; more ends the run, which counts as failed.'),
  minFreeDisk: size({ min: mebibyte })
    .optional()
    .describe('Minimum free space for the working directory and the state; with less, the loop pauses.'),
});

/** Every setting of a loop, with its default. */
export const configSchema = group({
  workingDir: text().default(defaultPlaces.workingDir).describe('Folder in which the agent works.'),
  prompt: text().optional().describe('The task as text.'),
  promptPath: text()
    .optional()
    .describe('File with the task, relative to workingDir; by default PROMPT.md or prompt.md.'),
  vars: promptVariables()
    .default({})
    .describe('Values for {{name}} in the prompt file; values from several sources are merged.'),
  maxIterations: count(0)
    .default(100)
    .describe('Maximum number of iterations; 0 means unlimited and requires another limit.'),
  maxTime: duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Maximum running time of the loop, not counting pauses.'),
  maxCostUsd: amount().optional().describe('Maximum cost in USD, as reported by the agent.'),
  maxTokens: count(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Maximum number of tokens, including input and cache.'),
  maxOutputTokens: count(1, Number.MAX_SAFE_INTEGER).optional().describe('Maximum number of output tokens.'),
  maxToolCalls: count(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Maximum number of tool calls, including those of subagents if the agent reports them.'),
  maxFilesChanged: count(1, 10_000).optional().describe('Maximum number of different files that the loop may change.'),
  maxLinesChanged: count(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Maximum number of lines that the loop may add and remove, summed over its iterations; needs git.'),
  maxReboots: count(1, 10_000).optional().describe('Maximum number of reboots, each of which starts a new session.'),
  resources: resourcesSchema.prefault({}).describe('What a loop may use of the machine and of the provider.'),
  iterationDelay: duration().prefault('5s').describe('Delay between iterations.'),
  contextRedlinePercent: count(0, 100)
    .default(85)
    .describe("Usage of the model's context window, in percent, at which the next iteration starts a new session."),
  attended: toggle().default(false).describe('Whether a person confirms each iteration, as with "mode: attended".'),
  mode: choice(modes)
    .optional()
    .describe(
      'Whether the loop runs on its own ("unattended"), asks before each step ("attended"), or asks now and then ("hybrid"); decides if "attended" is set too.',
    ),
  modeSchedule: modeScheduleSchema.describe('Times at which the loop switches to another mode.'),
  ask: askSchema.prefault({}).describe('When a loop asks a person, and how long it waits for the decision.'),
  completionPromise: promise()
    .nullable()
    .default('DONE')
    .describe('Text in the promise tag with which the agent claims completion; null for no promise.'),
  promiseMatch: choice(['strict', 'anywhere'])
    .default('strict')
    .describe('Whether the promise must be the last line of the answer or may appear anywhere in it.'),
  verify: list(command()).default([]).describe('Commands that must all exit with 0 before the loop can complete.'),
  verifyIn: choice(['tree', 'clean', 'sealed'])
    .default('tree')
    .describe(
      'Where the checks run: in the work tree, in a temporary checkout without ignored files, or sealed off from the agent.',
    ),
  setup: commands()
    .optional()
    .describe('Commands that install changed dependencies for sealed checks; detected for common tools.'),
  verifyShare: list(text())
    .default(['node_modules', '.venv', 'venv', 'vendor'])
    .describe(
      'Ignored folders that a clean checkout shares with the work tree; sealed checks get a copy from the start of the loop, and may read absolute paths.',
    ),
  protect: protectSchema
    .prefault({})
    .describe('Files the agent should not change, by default tests; "strict" runs the checks with the original files.'),
  verifyTimeout: duration({ min: 1 }).prefault('10m').describe('Maximum time for each verify command.'),
  autoTest: toggle().default(true).describe("Whether the project's own test command, if found, must pass as well."),
  testEvery: count(0, 10_000)
    .default(0)
    .describe(
      'Run the checks after every Nth iteration even without a claim, to follow the tests; 0 for never. Completion still needs a claim.',
    ),
  guard: toggle()
    .default(true)
    .describe(
      'Whether checks count as passed only if the files they depend on are unchanged; changes to other files that affect them are reported.',
    ),
  baseline: toggle().default(true).describe('Whether to run the checks once before the first iteration.'),
  allowBrokenBaseline: toggle()
    .default(false)
    .describe(
      'Whether a loop may start even though its checks cannot run yet, when the task is to write or repair them.',
    ),
  trustPromise: toggle()
    .default(false)
    .describe("Whether to accept the agent's claim without verification when there are no checks."),
  permissions: choice(['ask', 'edit', 'full']).default('edit').describe('What the agent may do without asking.'),
  agent: choice(agentNames).default('claude').describe('Agent to run.'),
  agentCommand: command()
    .optional()
    .describe('For the agent "command": the program to run; it reads the prompt from stdin and prints text.'),
  model: text().optional().describe('Model for the agent to use.'),
  agentArgs: list(argument()).default([]).describe('Additional arguments for the agent.'),
  agents: group(agentSchemas).prefault({}).describe('Settings of each agent.'),
  env: choice(['inherit', 'strict'])
    .default('inherit')
    .describe(
      'Whether the agent inherits your environment, without secrets of others ("inherit"), or only usual variables, its own and those in envAllow ("strict").',
    ),
  envAllow: list(variablePattern())
    .default([])
    .describe('Environment variables that the agent gets with "env: strict"; a name may end in "*".'),
  sandbox: choice(sandboxModes)
    .default('off')
    .describe(
      'Whether the agent and the checks run in a sandbox: "on" restricts files and processes, "strict" also the network and the environment.',
    ),
  sandboxPaths: sandboxPathsSchema.prefault({}).describe('Folders and files that a sandbox treats differently.'),
  network: networkSchema.describe(
    'With "sandbox: strict", the hosts that may be reached besides those of the agent, each with the ports 80 and 443 or its own.',
  ),
  iteration: iterationSchema.prefault({}).describe('Settings of one iteration.'),
  hooks: hooksSchema.describe('Commands and web addresses that are run and called at certain points of the loop.'),
  notify: notifySchema.describe('Where to send notifications about the loop.'),
  stopConditions: stopConditionsSchema.prefault({}).describe('Rules that stop a loop that makes no progress.'),
  progress: progressSchema.prefault({}).describe('What counts as progress.'),
  session: sessionSchema.prefault({}).describe("How the agent's sessions are used."),
  onLimit: choice(['fail', 'pause'])
    .default('fail')
    .describe('Whether reaching a limit ends the loop permanently or pauses it so that it can be resumed.'),
  budgetPolicy: choice(['cut', 'finish', 'strict'])
    .default('cut')
    .describe(
      'When the budget for time, tokens, tool calls or cost is used up: "cut" stops the agent, "finish" lets it finish the iteration, "strict" stops it and does not count results beyond the budget.',
    ),
  onProviderLimit: choice(['wait', 'stop'])
    .default('wait')
    .describe("Whether to wait for the provider's usage limit to reset, or to stop."),
  schedule: scheduleSchema
    .optional()
    .describe('When iterations may start; outside these times the loop waits, but finishes an iteration under way.'),
  history: historySchema.prefault({}).describe('What is kept of past iterations.'),
  stateDir: text()
    .default(defaultPlaces.stateDir)
    .describe('Folder for the state of all loops, relative to workingDir.'),
  worktree: worktree()
    .default(false)
    .describe('Whether the loop gets a git worktree and a branch "ralphd/NAME" of its own; a text is the NAME.'),
  worktreeDir: text()
    .optional()
    .describe('Folder for these worktrees; by default REPOSITORY.worktrees next to the repository.'),
  worktreeSetup: commands()
    .optional()
    .describe(
      'Commands that prepare a new worktree, such as "npm ci", and the merged tree before "ralphd land" runs the checks.',
    ),
  land: choice(['auto', 'merge', 'ff-only', 'squash'])
    .default('auto')
    .describe(
      'How "ralphd land" brings the branch of a loop back: "auto" fast-forwards if possible and merges otherwise.',
    ),
  audit: toggle()
    .default(false)
    .describe(
      'Whether iterations, changed files, decisions and commands are also appended to "audit.log" in stateDir.',
    ),
  persistence: persistenceSchema.prefault({}).describe('How state is kept on disk.'),
  backup: backupSchema
    .prefault({})
    .describe('Backups outside the state folder, for the day on which the machine is gone.'),
  exclusive: toggle()
    .default(false)
    .describe('Whether the loop refuses to share its working directory with other loops.'),
  checkpointInterval: count(1).default(1).describe('Number of iterations between checkpoints.'),
  executionMode: choice(['strict', 'seeded', 'logged', 'default'])
    .default('default')
    .describe(
      'How reproducible runs are: "logged" keeps all output of the agent; "seeded" and "strict" also demand a temperature (0.7, 0) and the seed of an agent that takes them.',
    ),
  seed: count(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Seed for the model; required by, and only for, the execution modes "seeded" and "strict".'),
  loopId: text().optional().describe('Id of the loop; generated from the task by default.'),
});

/** Encodes a configuration as it is written in a file; parsing it gives the same configuration. */
export function encodeConfig(config: LoopConfig): LoopConfigInput {
  const known = encodings.get(config) ?? z.encode(configSchema, config);
  encodings.set(config, known);
  return known;
}

// A configuration is never changed in place, and encoding one takes longer than writing all the rest of a snapshot.
const encodings = new WeakMap<LoopConfig, LoopConfigInput>();

let defaults: LoopConfig | undefined;

/** The configuration of a loop for which nothing is set. */
export function defaultConfig(): LoopConfig {
  return (defaults ??= configSchema.parse({}));
}
