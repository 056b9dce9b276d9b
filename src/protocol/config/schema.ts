import * as z from 'zod';
import { promptVariables } from '../prompt/variables.ts';
import { conditionSet } from './condition-set.ts';
import { countLeaves } from './condition-tree.ts';
import { hooksSchema } from './hooks.ts';
import { defaultPlaces } from './places.ts';
import { progressSchema } from './progress.ts';
import { protectSchema } from './protect.ts';
import {
  amount,
  choice,
  command,
  commands,
  count,
  duration,
  group,
  list,
  text,
  toggle,
  variables,
} from './settings.ts';

const agentSchema = (binary: string) =>
  group({ command: text().default(binary).describe('Name or path of the program that is this agent.') })
    .prefault({})
    .describe(`How the agent ${binary} is started.`);

const iterationSchema = group({
  timeout: duration({ min: 1 }).prefault('30m').describe('Longest time one iteration may take before it is ended.'),
  idleTimeout: duration({ min: 1 })
    .prefault('15m')
    .describe('Longest time an agent may show no sign of life before it is ended.'),
  startTimeout: duration({ min: 1 }).prefault('2m').describe('Longest time until an agent gives its first output.'),
  resultGrace: duration().prefault('15s').describe('Time an agent has to exit by itself after its result.'),
  killGrace: duration().prefault('10s').describe('Time between asking a process to end and killing it.'),
  maxOutput: count(1, Number.MAX_SAFE_INTEGER)
    .default(4 * 1024 ** 3)
    .describe('Most bytes an agent may print in one iteration before it is ended.'),
  keepProcesses: list(text().regex(/^[^/]*$/, { error: 'the name of a program, without a path' }))
    .default([])
    .describe('Names of programs that an agent may leave running when it ends.'),
  onRunnerLoss: choice(['adopt', 'end'])
    .default('adopt')
    .describe('Whether an agent goes on when its ralphd dies, for the next one to adopt it, or is ended.'),
  env: variables().default({}).describe('Environment variables set for the agent.'),
  trackFileChanges: toggle().default(true).describe('Whether to record which files an iteration changed.'),
  parseTests: toggle().default(true).describe('Whether to read test counts out of outputs.'),
});

/** Each may be a file to read or a program to run after every iteration. */
const mostConditions = 50;

const stopConditionsSchema = group({
  maxTestFailureStreak: count(0)
    .default(3)
    .describe('Stop after this many iterations in a row whose failing tests did not get fewer; 0 turns the rule off.'),
  maxNoProgressIterations: count(0)
    .default(5)
    .describe('Stop after this many iterations in a row without progress; 0 turns the rule off.'),
  maxIterationFailureStreak: count(0)
    .default(5)
    .describe('Stop after this many failed iterations in a row; 0 turns the rule off.'),
  maxSameErrorStreak: count(0)
    .default(3)
    .describe('Stop after the same error this many times in a row; 0 turns the rule off.'),
  stopOnPatterns: list(text()).default([]).describe('Stop when an error matches one of these regular expressions.'),
  customScripts: list(command())
    .default([])
    .describe('Commands run after each iteration; the loop stops when one of them exits with 0.'),
  scriptTimeout: duration({ min: 1 }).prefault('30s').describe('Longest time one of customScripts may take.'),
  stop: conditionSet().describe('Stop when one of these conditions is met after an iteration.'),
  success: conditionSet().describe('Try the gate, as after a claim, when one of these conditions is met.'),
  failure: conditionSet().describe('Stop when one of these is met, even if a condition for success is met too.'),
}).refine(
  ({ stop, success, failure, customScripts }) =>
    countLeaves([...stop, ...success, ...failure]) + customScripts.length <= mostConditions,
  { error: `a mapping with at most ${mostConditions} conditions and scripts in all` },
);

const sessionSchema = group({
  strategy: choice(['fresh', 'continue'])
    .default('fresh')
    .describe('Whether each iteration gets a fresh session or continues the one before until redline.'),
  timeout: duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .prefault('1h')
    .describe('Greatest age at which a session is still continued.'),
  handOffBytes: count(2_000, 1_000_000)
    .default(50_000)
    .describe('Most bytes of the text that hands the work over to a fresh session after a reboot.'),
  handOffCommits: count(0, 50).default(5).describe('How many of the newest commits a hand-over tells of; 0 for none.'),
  handOffTests: toggle().default(true).describe('Whether a hand-over tells how the tests stand.'),
  handOffFiles: list(text())
    .max(20, { error: 'a list of at most 20 files' })
    .default([])
    .describe('Files of workingDir whose content a hand-over tells, as far as there is room.'),
  persist: toggle().default(true).describe('Whether session ids are kept in the state, so that a resume can use them.'),
});

const historySchema = group({
  maxInMemory: count(1).default(100).describe('How many iteration records a running loop holds in memory.'),
  persist: toggle().default(true).describe('Whether iteration records are kept on disk.'),
  persistPath: text().optional().describe('Where to write the history instead of the state folder.'),
});

const persistenceSchema = group({
  enabled: toggle().default(true).describe('Whether the state of a loop is kept on disk.'),
  autoSaveInterval: duration({ min: 1 })
    .prefault('30s')
    .describe('How often usage counters and the heartbeat are refreshed while an iteration runs.'),
  maxBackups: count(0).default(10).describe('How many backups of the state are kept.'),
  compress: toggle().default(false).describe('Whether backups are compressed.'),
  encrypt: toggle().default(false).describe('Whether the state is encrypted on disk.'),
});

/** Every setting of a loop, with its default: `configSchema.parse({})` is the default configuration. */
export const configSchema = group({
  workingDir: text().default(defaultPlaces.workingDir).describe('Folder the agent works in.'),
  prompt: text().optional().describe('The task as text.'),
  promptPath: text()
    .optional()
    .describe('File that holds the task, relative to workingDir; PROMPT.md or prompt.md unless given.'),
  vars: promptVariables()
    .default({})
    .describe('Values of variables that the prompt file uses as {{name}}; values of several sources are joined.'),
  maxIterations: count(0).default(100).describe('Most iterations to run; 0 means no limit and needs another bound.'),
  maxTime: duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Longest running time of the whole loop, pauses not counted.'),
  maxCostUsd: amount().optional().describe('Most money to spend, in US dollars.'),
  maxTokens: count(1, Number.MAX_SAFE_INTEGER).optional().describe('Most tokens to use, input and caches included.'),
  maxOutputTokens: count(1, Number.MAX_SAFE_INTEGER).optional().describe('Most tokens that the agent may write.'),
  maxToolCalls: count(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Most uses of tools, those of subagents included as far as the agent tells of them.'),
  iterationDelay: duration().prefault('5s').describe('Pause between two iterations.'),
  contextRedlinePercent: count(0, 100)
    .default(85)
    .describe("Share of the model's context window, in percent, from which the next iteration gets a fresh session."),
  attended: toggle().default(false).describe('Whether a person is there to confirm and to be asked.'),
  completionPromise: text()
    .nullable()
    .default('DONE')
    .describe('Text inside the promise tag by which the agent claims completion; null for no promise.'),
  promiseMatch: choice(['strict', 'anywhere'])
    .default('strict')
    .describe('Whether the promise must be the last line of the answer or may stand anywhere in it.'),
  verify: list(command()).default([]).describe('Commands that must all exit 0 before the loop counts as completed.'),
  verifyIn: choice(['tree', 'clean', 'sealed'])
    .default('tree')
    .describe(
      'Whether the checks run in the work tree, in a temporary checkout of it without ignored files, or sealed: where the agent never was.',
    ),
  setup: commands()
    .optional()
    .describe('What installs the dependencies for sealed checks when they changed; found for the usual tools.'),
  verifyShare: list(text())
    .default(['node_modules', '.venv', 'venv', 'vendor'])
    .describe(
      'Ignored folders that a clean checkout shares with the work tree; sealed checks get them as they were when the loop began, and may read absolute paths.',
    ),
  protect: protectSchema
    .prefault({})
    .describe(
      'Files the agent should not change, the usual places of tests unless given; "strict" runs the checks with them as they were.',
    ),
  verifyTimeout: duration({ min: 1 }).prefault('10m').describe('Longest time one verify command may take.'),
  autoTest: toggle().default(true).describe("Whether the project's own test command, when found, must pass too."),
  guard: toggle()
    .default(true)
    .describe(
      'Whether what decides what the checks run must stay as it was for a pass to count, and changes of what has a say in it are named.',
    ),
  baseline: toggle().default(true).describe('Whether the verify commands run once before the first iteration.'),
  allowBrokenBaseline: toggle()
    .default(false)
    .describe(
      'Whether a loop starts although its checks cannot judge anything yet: for a task that is to write or repair them.',
    ),
  trustPromise: toggle()
    .default(false)
    .describe("Whether the agent's word alone may complete a loop that has nothing to verify."),
  permissions: choice(['ask', 'edit', 'full']).default('edit').describe('What the agent may do without asking.'),
  agent: choice(['claude', 'codex', 'gemini', 'opencode', 'command', 'demo'])
    .default('claude')
    .describe('Which agent does the work.'),
  agentCommand: command()
    .optional()
    .describe('For the agent "command": what to run; it reads the prompt on stdin and prints text.'),
  model: text().optional().describe('Model the agent is asked to use.'),
  agentArgs: list(z.string({ error: 'text' }))
    .default([])
    .describe('Further arguments for the agent.'),
  agents: group({
    claude: agentSchema('claude'),
    codex: agentSchema('codex'),
    gemini: agentSchema('gemini'),
    opencode: agentSchema('opencode'),
  })
    .prefault({})
    .describe('Settings of each agent.'),
  env: choice(['inherit', 'strict'])
    .default('inherit')
    .describe('Whether the agent gets the environment of its caller or only an allow-list of it.'),
  iteration: iterationSchema.prefault({}).describe('Settings of one iteration.'),
  hooks: hooksSchema.describe('Commands that run before and after each iteration.'),
  stopConditions: stopConditionsSchema.prefault({}).describe('Rules that end a loop which gets nowhere.'),
  progress: progressSchema.prefault({}).describe('What counts as progress.'),
  session: sessionSchema.prefault({}).describe("How the agent's sessions are used."),
  onLimit: choice(['fail', 'pause'])
    .default('fail')
    .describe('Whether a limit ends the loop for good or leaves it paused, ready to be resumed.'),
  budgetPolicy: choice(['cut', 'finish', 'strict'])
    .default('cut')
    .describe(
      'Whether an agent is ended as soon as time, tokens, tool calls or money are used up, or may finish its iteration; "strict" ends it, too, and what is proven beyond the budget does not count.',
    ),
  onProviderLimit: choice(['wait', 'stop'])
    .default('wait')
    .describe("Whether to wait until the provider's usage limit is reset or to stop."),
  history: historySchema.prefault({}).describe('What is remembered of past iterations.'),
  stateDir: text().default(defaultPlaces.stateDir).describe('Folder of all loop state, relative to workingDir.'),
  persistence: persistenceSchema.prefault({}).describe('How state is kept on disk.'),
  exclusive: toggle().default(false).describe('Whether the loop wants its working directory for itself.'),
  checkpointInterval: count(1).default(1).describe('Write a checkpoint after every this many iterations.'),
  executionMode: choice(['strict', 'seeded', 'logged', 'default'])
    .default('default')
    .describe('How reproducible the run must be.'),
  loopId: text().optional().describe('Id of the loop; made from the task unless given.'),
});

/** The settings of a loop as the program uses them: every default filled in, durations in milliseconds. */
export type LoopConfig = z.output<typeof configSchema>;
/** The settings of a loop as they are written: everything optional, durations as text. */
export type LoopConfigInput = z.input<typeof configSchema>;
/** The settings of one iteration. */
export type IterationConfig = LoopConfig['iteration'];
/** The rules that end a loop which gets nowhere. */
export type StopConditionsConfig = LoopConfig['stopConditions'];
/** How the agent's sessions are used. */
export type SessionConfig = LoopConfig['session'];
/** What is remembered of past iterations. */
export type HistoryConfig = LoopConfig['history'];
/** How state is kept on disk. */
export type PersistenceConfig = LoopConfig['persistence'];

/** Writes a configuration the way a file holds it; reading it back gives the same configuration. */
export function encodeConfig(config: LoopConfig): LoopConfigInput {
  return z.encode(configSchema, config);
}
