/** What the agent has to report for a limit to be measured. */
interface Reported {
  /** The kind of report, as agents declare it. */
  readonly by: 'tokens' | 'tools' | 'cost';
  /** The name of the total over all runs, and of the number of runs that did not report. */
  readonly total: string;
  readonly unreported: string;
  /** The fields of a run's usage that add up to it; unknown when the first two are missing. */
  readonly fields: readonly string[];
  /** Included in another limit, so that a summary of a run leaves it out. */
  readonly isPart?: true;
  /** Counted from the agent's events, instead of being a number that the agent itself reports. */
  readonly isCounted?: true;
}

/** One limit that a user may set. */
export interface LimitRow {
  /** Why a loop that reached it stopped. */
  readonly reason: `max_${string}`;
  readonly unit: 'count' | 'time' | 'money';
  readonly one: string;
  readonly many: string;
  /** The option of the command line, and what its help says. */
  readonly option: string;
  readonly short?: string;
  readonly help: string;
  /** Missing for what ralphd measures itself. */
  readonly reported?: Reported;
  /** What it counts in the work tree: reached only by an agent that makes changes, so it does not bound a loop. */
  readonly changed?: 'files' | 'lines';
  /** What it counts between iterations: it may never happen, so it does not bound a loop. */
  readonly between?: 'reboots';
}

/**
 * Every limit, by its setting: types, options, totals, stop reasons and texts follow from this table. When several are
 * reached, the first is named; a budget may have ended the agent, so the iterations come last.
 */
export const limitTable = {
  maxTime: {
    reason: 'max_time',
    unit: 'time',
    one: 'running time',
    many: 'running time',
    option: 'max-time',
    help: 'Maximum running time, such as 8h or "1h 30m".',
  },
  maxTokens: {
    reason: 'max_tokens',
    unit: 'count',
    one: 'token',
    many: 'tokens',
    option: 'max-tokens',
    help: 'Maximum number of tokens, as reported by the agent.',
    reported: {
      by: 'tokens',
      total: 'tokens',
      unreported: 'unreportedTokens',
      fields: ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'],
    },
  },
  maxOutputTokens: {
    reason: 'max_output_tokens',
    unit: 'count',
    one: 'output token',
    many: 'output tokens',
    option: 'max-output-tokens',
    help: 'Maximum number of output tokens, as reported by the agent.',
    reported: {
      by: 'tokens',
      total: 'outputTokens',
      unreported: 'unreportedOutputTokens',
      fields: ['outputTokens'],
      isPart: true,
    },
  },
  maxToolCalls: {
    reason: 'max_tool_calls',
    unit: 'count',
    one: 'tool call',
    many: 'tool calls',
    option: 'max-tool-calls',
    help: 'Maximum number of tool calls, as reported by the agent.',
    reported: {
      by: 'tools',
      total: 'toolCalls',
      unreported: 'unreportedToolCalls',
      fields: ['toolCalls'],
      isCounted: true,
    },
  },
  maxCostUsd: {
    reason: 'max_cost',
    unit: 'money',
    one: 'cost',
    many: 'cost',
    option: 'max-cost',
    help: 'Maximum cost in USD, as reported by the agent.',
    reported: { by: 'cost', total: 'costUsd', unreported: 'unreportedCost', fields: ['costUsd'] },
  },
  maxFilesChanged: {
    reason: 'max_files_changed',
    unit: 'count',
    one: 'changed file',
    many: 'changed files',
    option: 'max-files-changed',
    help: 'Maximum number of different files that the loop may change.',
    changed: 'files',
  },
  maxLinesChanged: {
    reason: 'max_lines_changed',
    unit: 'count',
    one: 'changed line',
    many: 'changed lines',
    option: 'max-lines-changed',
    help: 'Maximum number of lines that the loop may add and remove, summed over its iterations (git only).',
    changed: 'lines',
  },
  maxReboots: {
    reason: 'max_reboots',
    unit: 'count',
    one: 'reboot',
    many: 'reboots',
    option: 'max-reboots',
    help: 'Maximum number of reboots, each of which starts a new agent session.',
    between: 'reboots',
  },
  maxIterations: {
    reason: 'max_iterations',
    unit: 'count',
    one: 'iteration',
    many: 'iterations',
    option: 'max-iterations',
    short: 'n',
    help: 'Maximum number of iterations (default: 100); 0 means unlimited and needs another limit.',
  },
} as const satisfies Readonly<Record<string, LimitRow>>;

type Table = typeof limitTable;

/** The setting of a limit. */
export type LimitSetting = keyof Table;

/** The stop reason of a limit. */
export type LimitReason = Table[LimitSetting]['reason'];

type ReportedRow = Extract<Table[LimitSetting], { readonly reported: unknown }>['reported'];

/** The total of what a limit bounds, over all runs. */
export type ReportedTotal = ReportedRow['total'];

/** The number of runs that did not report one of these. */
export type UnreportedRuns = ReportedRow['unreported'];

/** What is counted from the agent's events: what a limit bounds, and API calls, which an hourly bound is for. */
export type CountedUse = Extract<ReportedRow, { readonly isCounted: true }>['total'] | 'apiCalls';

/** A limit with its setting. */
export interface Limit extends LimitRow {
  readonly setting: LimitSetting;
  readonly reason: LimitReason;
  readonly reported?: Omit<Reported, 'total' | 'unreported'> & {
    readonly total: ReportedTotal;
    readonly unreported: UnreportedRuns;
  };
}

/** All limits, in the order of the table. */
export const limits: readonly Limit[] = Object.entries(limitTable).map(([setting, row]) => ({
  ...row,
  setting: setting as LimitSetting,
}));

/** All limits, with the number of iterations first, as people list them. */
export const limitsToShow: readonly Limit[] = [...limits.slice(-1), ...limits.slice(0, -1)];

/** The stop reasons of all limits, in the order in which people list them. */
export const limitReasons: readonly LimitReason[] = limitsToShow.map(({ reason }) => reason);

/** The settings of all limits. */
export const limitSettings: readonly LimitSetting[] = limitsToShow.map(({ setting }) => setting);

/** The names of what is counted from the agent's events. */
export const countedUses: readonly CountedUse[] = [
  ...limits.flatMap(({ reported }) => (reported?.isCounted === true ? [reported.total as CountedUse] : [])),
  'apiCalls',
];

/** The limit that a stop reason names, if it names one. */
export function limitOf(reason: string | undefined): Limit | undefined {
  return limits.find((limit) => limit.reason === reason);
}

/** What a run used of what a limit bounds; undefined where the agent did not report it. */
export function usedOf({ reported }: Limit, usage: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const amounts = (reported?.fields ?? []).map((name) => usage?.[name]);
  if (amounts.slice(0, 2).every((amount) => amount === undefined)) return undefined;
  return amounts.reduce<number>((sum, amount) => sum + (typeof amount === 'number' ? amount : 0), 0);
}
