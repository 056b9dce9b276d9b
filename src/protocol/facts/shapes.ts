import * as z from 'zod';
import { senderFaces } from '../commands.ts';
import { type CountedUse, countedUses } from '../limits.ts';
import { hookPoints, proofs, severities, verdicts } from '../words.ts';

/** An instant, RFC 3339 in UTC. */
export const instant = z.iso.datetime();
/** A number of things. */
export const count = z.int().min(0);
/** A duration in milliseconds. */
export const durationMs = z.number().min(0);

/** Time since the owner's previous accounting, on a clock that does not count suspended time. */
export const elapsedMs = durationMs.describe(
  'Running time since the previous fact with this field, from a monotonic clock.',
);

/** Which attempt of which iteration; an interrupted attempt keeps its iteration's number. */
export const attempt = { iteration: z.int().min(1), attempt: z.int().min(1) };

/** A process, identified so that a reused pid is never mistaken for it. */
export const processIdentity = z.object({
  host: z.string(),
  bootId: z.string(),
  pid: z.int(),
  startTime: z.string(),
});

/** Who sent a command, as reported by the sender; not proof of identity. */
export const sender = z.object({
  user: z.string().optional(),
  host: z.string(),
  pid: z.int(),
  face: z
    .enum(senderFaces)
    .describe('A terminal, the page in a browser, a program, a signal to the owner, or the owner itself.'),
});

/** How a process ended. */
export const ending = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exited'), code: z.int() }),
  z.object({ kind: z.literal('signalled'), signal: z.string() }),
  z.object({
    kind: z.literal('stopped'),
    by: z.enum(['timeout', 'start', 'idle', 'output', 'result', 'budget', 'redline', 'rejected', 'memory', 'request']),
    forced: z.boolean(),
  }),
  z.object({ kind: z.literal('not_started'), code: z.string(), message: z.string() }),
  z.object({ kind: z.literal('lost') }),
]);

const countedUse = Object.fromEntries(countedUses.map((name) => [name, count.optional()])) as Readonly<
  Record<CountedUse, z.ZodOptional<typeof count>>
>;

/** What a run used, as reported by the agent. A missing field was not reported: it is unknown, not 0. */
export const usage = z.object({
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  cacheReadTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  costUsd: z.number().min(0).optional(),
  ...countedUse,
  context: z.object({ used: count, size: z.int().min(1) }).optional(),
});

/** API calls of an agent, up to this instant. */
export const apiCalls = z.object({ at: instant, count });

/** Which tools a run used, by kind; absent if the agent does not name its tools. */
export const exploration = z.object({
  reads: count.describe('Calls that read, list or search.'),
  acts: count.describe('All other calls: edits, commands and tools of unknown kind.'),
});

/** The commit that was checked out when a run ended. */
const commit = z.object({
  id: z.string(),
  isWhole: z.boolean().describe('Whether it contains all files; otherwise some were not committed.'),
});

/** What a run changed in the work tree; `known: false` means that this could not be determined. */
export const changes = z.object({
  known: z.boolean(),
  headMoved: z.boolean(),
  modified: z.array(z.string()),
  created: z.array(z.string()),
  deleted: z.array(z.string()),
  /** Number of all changed files, including those not in the truncated lists. */
  count,
  /** Protected files among them; `changed` lists modified or deleted files that the loop did not create itself. */
  protected: z.object({ changed: z.array(z.string()), created: z.array(z.string()) }).optional(),
  commit: commit.optional().describe('HEAD at the end; absent if there is no commit.'),
  lines: z
    .object({ added: count, removed: count })
    .optional()
    .describe('Changed lines of text files; absent outside git and where they could not be counted.'),
  trees: z
    .object({ before: z.string(), after: z.string() })
    .optional()
    .describe("Ids of the git trees to compare; the objects are in the loop's folder."),
});

/** Test counts from a check that ralphd ran itself. */
export const testCounts = z.object({
  framework: z.string(),
  total: count,
  passed: count,
  failed: count,
  skipped: count,
  failing: z.array(z.string()),
  /** Names of passed tests, if the report lists them. */
  passing: z.array(z.string()).optional(),
  failures: z
    .array(z.object({ name: z.string(), file: z.string().optional(), error: z.string().optional() }))
    .optional()
    .describe('Failing tests with their file and error from the report, truncated.'),
});

/** Test counts that the agent's own output shows. */
export const testHints = z.object({
  framework: z.string(),
  total: count,
  passed: count,
  failed: count,
  skipped: count,
});

/** A number read from the checks: lint problems, coverage in percent, or a custom metric. */
export const measure = z.object({
  of: z.enum(['lint', 'coverage', 'metric']),
  name: z.string().describe('The tool that reported it, or the name of the metric.'),
  check: z.string().optional().describe('The check that printed it; absent for a metric.'),
  value: z.number(),
});

/** A command of the gate: the user's own shell line, or a program with its arguments. */
export const checkCommand = z.union([z.string(), z.array(z.string()).min(1)]);
/** A command of the gate. */
export type CheckCommand = string | readonly string[];

/** One command of the gate and its result. */
export const check = z.object({
  command: z.string(),
  verdict: z.enum(verdicts),
  exitCode: z.int().optional(),
  durationMs,
  /** The end of its output, truncated. */
  output: z.string(),
  outputDigest: z.string().optional().describe('SHA-256 of its whole output.'),
});

/** The exact files that a verdict is about: every file that is not ignored. */
export const judgedTree = z.object({
  id: z.string().describe('Id of the git tree with exactly these files.'),
  files: count,
  bytes: count,
});

/** Why the checks could not run at all, for a reason that the agent cannot fix. */
export const obstacle = z.object({
  code: z.string().describe('Identifies the obstacle; the same one twice in a row pauses the loop.'),
  message: z.string(),
  fix: z.string().describe('What the user can do about it.'),
});

/** The observed result of one condition; `met: null` means unknown. */
export const conditionResult = z.object({
  key: z.string().describe('Path of the condition in the settings: `stop.0`.'),
  met: z.boolean().nullable(),
  detail: z.string().optional().describe('What was observed.'),
});

/** Whether the iteration made progress; `made: null` means unknown. */
export const progress = z.object({
  made: z.boolean().nullable(),
  evidence: z.array(z.string()),
  score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Amount of progress from 0 to 1; absent if unknown and in journals of the first releases.'),
});

export const notedIssue = z.object({
  text: z.string(),
  severity: z.enum(severities),
  files: z.array(z.string()).optional(),
});

/** Notes of an agent for later iterations: quoted, one line each. */
export const runNotes = z.object({
  decisions: z.array(z.object({ text: z.string(), why: z.string().optional() })).optional(),
  issues: z.array(notedIssue).optional(),
  resolved: z.array(z.string()).optional().describe('Issues that are resolved: their numbers or their text.'),
  done: z.array(z.string()).optional(),
  pending: z.array(z.string()).optional().describe('Everything left to do; empty if the agent says that nothing is.'),
  values: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
});

/** A setting that changed, with its values as text; missing if there is none, or if it is not shown. */
export const settingChange = z.object({ setting: z.string(), from: z.string().optional(), to: z.string().optional() });

/** What a loop leaves to the one that continues its work. */
export const leftWork = z.object({
  summaries: z.array(z.string()).describe("The agent's own summaries, newest last."),
  notes: runNotes.describe('What its agents noted, quoted.'),
  files: z.array(z.string()).describe('The files that it changed last.'),
  guidance: z
    .array(z.object({ id: z.string(), text: z.string(), standing: z.boolean().optional() }))
    .describe('Standing guidance, and guidance that no prompt had delivered yet.'),
});

/** The commit that holds the original files, and the git reference that keeps it. */
export const protectedBase = z.object({ ref: z.string(), commit: z.string() });

/** An agent's interactive session that works on a loop. */
export const hostSession = z.object({
  agent: z.string(),
  id: z.string().optional().describe('Unknown until the session stops for the first time.'),
});

/** A git worktree of a loop's own, and where its branch began. */
export const worktree = z.object({
  path: z.string().describe('Top folder of the worktree.'),
  branch: z.string().describe('Name of its branch.'),
  baseBranch: z.string().optional().describe('The branch it started from; absent if none was checked out.'),
  baseCommit: z.string().describe('The commit it started from.'),
});

/** Quality of the work at the end of an iteration, as far as ralphd observed it. */
export const quality = z.object({
  proof: z.enum(proofs).describe('What the checks prove.'),
  checks: z.object({ passed: count, total: count }).optional(),
  tests: z
    .object({ passed: count, failed: count, flaky: count.describe('Number of failed tests that are flaky.') })
    .optional(),
  worked: z.boolean().describe('Whether the agent run succeeded.'),
  files: count.nullable().describe('Number of files changed; null if unknown.'),
  headMoved: z.boolean(),
  commit: commit.optional(),
});

/** One hook that ran, and its result. */
export const hookResult = z.object({
  name: z.string(),
  point: z.enum(hookPoints),
  ok: z.boolean(),
  fatal: z.boolean().optional().describe('The hook failed and the loop pauses because of it.'),
  durationMs,
  output: z.string().describe('Beginning and end of its output, truncated.'),
  error: z.string().optional(),
});

/** A hook's request to stop. */
export const hookStop = z
  .object({ hook: z.string(), reason: z.string() })
  .describe('A hook requested that the loop stop.');
