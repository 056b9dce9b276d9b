import type { LoopConfig } from './loop-config.ts';
import { type ProtectSetting, protectionModes, protectionOf } from './protection.ts';

/**
 * Which of two values is the stricter one: `fewer` (a lower number; none and 0 are no limit), `more` (a higher number),
 * `subset` (a shorter list of the same entries), `protection` (more files, or a stricter mode), `theirs` (values cannot be
 * compared, so the user's own counts), or the values from strict to lax.
 */
export type Strictness = 'fewer' | 'more' | 'subset' | 'protection' | 'theirs' | readonly (string | boolean)[];

/** Why a setting from a project needs the user's consent. */
export type Asks = 'runs' | 'sends' | 'place' | 'weakens';

/** How far the value of a setting reaches. */
export interface Reach {
  /**
   * `runs`: it decides which program is started, or with what. `sends`: it sends something away. `place`: a path, which
   * needs consent if it leaves the project. `weakens`: it needs consent if it is laxer than the default.
   */
  readonly asks?: Asks;
  /** Only entries that contain this type ask. */
  readonly ofType?: string;
  /** A laxer value in a project does not replace the user's own. */
  readonly stricter?: Strictness;
  /** Other settings with which users say that they want this one left alone. */
  readonly besides?: readonly string[];
}

/** The paths of all settings, such as `iteration.timeout`. */
type PathsOf<Group> = {
  [Key in keyof Group & string]-?: NonNullable<Group[Key]> extends infer Value
    ? Value extends readonly unknown[] | string | number | boolean
      ? Key
      : Value extends object
        ? string extends keyof Value
          ? Key
          : Key extends 'protect'
            ? Key
            : `${Key}.${PathsOf<Value>}`
        : Key
    : never;
}[keyof Group & string];

/** The path of a setting. */
export type SettingPath = PathsOf<LoopConfig>;

const own: Reach = {};
const runs: Reach = { asks: 'runs' };
const sends: Reach = { asks: 'sends' };
const conditions: Reach = { asks: 'runs', ofType: 'custom_script' };
const place: Reach = { asks: 'place' };
const fewer: Reach = { asks: 'weakens', stricter: 'fewer' };
const more: Reach = { asks: 'weakens', stricter: 'more' };
const shorter: Reach = { asks: 'weakens', stricter: 'subset' };
const asking: Reach = { stricter: 'theirs', besides: ['mode', 'attended'] };
const hours: Reach = { stricter: 'theirs', besides: ['schedule.hours', 'schedule.days', 'schedule.blackout'] };
const fromStrict = (...values: readonly (string | boolean)[]): Reach => ({ asks: 'weakens', stricter: values });

/**
 * What each setting can do when a repository brings it. A new setting needs its line here: `own` affects only the loop's
 * own work. The consent of the user and the merging of layers follow from this table.
 */
const reaches: { readonly [Path in SettingPath]: Reach } = {
  workingDir: place,
  prompt: own,
  promptPath: place,
  vars: own,
  maxIterations: fewer,
  maxTime: fewer,
  maxCostUsd: fewer,
  maxTokens: fewer,
  maxOutputTokens: fewer,
  maxToolCalls: fewer,
  maxFilesChanged: fewer,
  maxLinesChanged: fewer,
  maxReboots: fewer,
  'resources.apiCallsPerHour': fewer,
  'resources.maxMemory': fewer,
  'resources.minFreeDisk': more,
  iterationDelay: own,
  contextRedlinePercent: own,
  attended: fromStrict(true, false),
  mode: fromStrict('attended', 'hybrid', 'unattended'),
  modeSchedule: asking,
  'ask.before': asking,
  'ask.autoApproveAfter': asking,
  'ask.breakpoints': asking,
  'ask.everyIterations': asking,
  'ask.everyFiles': asking,
  'ask.onFailures': asking,
  'ask.onTestRegression': asking,
  'ask.onPatterns': asking,
  completionPromise: own,
  promiseMatch: fromStrict('strict', 'anywhere'),
  verify: runs,
  verifyIn: fromStrict('sealed', 'clean', 'tree'),
  setup: runs,
  verifyShare: place,
  protect: { asks: 'weakens', stricter: 'protection' },
  verifyTimeout: own,
  autoTest: fromStrict(true, false),
  testEvery: own,
  guard: fromStrict(true, false),
  baseline: fromStrict(true, false),
  allowBrokenBaseline: fromStrict(false, true),
  trustPromise: fromStrict(false, true),
  permissions: fromStrict('ask', 'edit', 'full'),
  agent: runs,
  agentCommand: runs,
  model: own,
  agentArgs: runs,
  'agents.claude.command': runs,
  'agents.codex.command': runs,
  'agents.gemini.command': runs,
  'agents.opencode.command': runs,
  env: fromStrict('strict', 'inherit'),
  envAllow: shorter,
  'iteration.timeout': fewer,
  'iteration.idleTimeout': fewer,
  'iteration.startTimeout': own,
  'iteration.resultGrace': own,
  'iteration.killGrace': own,
  'iteration.maxOutput': fewer,
  'iteration.keepProcesses': shorter,
  'iteration.onRunnerLoss': fromStrict('end', 'adopt'),
  'iteration.env': runs,
  'iteration.trackFileChanges': fromStrict(true, false),
  'iteration.parseTests': own,
  hooks: runs,
  notify: sends,
  'stopConditions.maxSameErrorStreak': fewer,
  'stopConditions.maxIterationFailureStreak': fewer,
  'stopConditions.maxTestFailureStreak': fewer,
  'stopConditions.maxNoProgressIterations': fewer,
  'stopConditions.stopOnPatterns': { stricter: 'theirs' },
  'stopConditions.customScripts': { asks: 'runs', stricter: 'theirs' },
  'stopConditions.scriptTimeout': own,
  'stopConditions.stop': { ...conditions, stricter: 'theirs' },
  'stopConditions.success': conditions,
  'stopConditions.failure': { ...conditions, stricter: 'theirs' },
  'progress.strategy': own,
  'progress.metrics': own,
  'session.strategy': own,
  'session.timeout': own,
  'session.warningPercent': own,
  'session.autoReboot': own,
  'session.reboot.mode': own,
  'session.reboot.onDegradation': own,
  'session.reboot.afterIterations': own,
  'session.reboot.patterns': own,
  'session.reboot.minIterations': own,
  'session.reboot.minInterval': own,
  'session.reboot.maxPerHour': own,
  'session.reboot.cooldown': own,
  'session.progressNotes': own,
  'session.handOffBytes': own,
  'session.handOffCommits': own,
  'session.handOffTests': own,
  'session.handOffFiles': own,
  'session.persist': own,
  onLimit: own,
  budgetPolicy: fromStrict('strict', 'cut', 'finish'),
  onProviderLimit: own,
  'schedule.hours': hours,
  'schedule.days': hours,
  'schedule.blackout': hours,
  'schedule.timeZone': hours,
  'history.maxInMemory': own,
  'history.persist': own,
  'history.persistPath': place,
  stateDir: place,
  worktree: own,
  worktreeDir: place,
  worktreeSetup: runs,
  land: own,
  audit: { stricter: [true, false] },
  'persistence.enabled': { stricter: [true, false] },
  'persistence.autoSaveInterval': own,
  'persistence.maxBackups': own,
  'persistence.compress': own,
  'persistence.encrypt': { stricter: [true, false] },
  'persistence.encryptSnapshot': fromStrict(true, false),
  'persistence.keyFile': { asks: 'place', stricter: 'theirs' },
  'backup.targets': sends,
  'backup.recipients': { asks: 'sends', stricter: 'theirs' },
  'backup.keep': more,
  'backup.keepDays': more,
  'backup.grace': own,
  exclusive: { stricter: [true, false] },
  checkpointInterval: own,
  executionMode: own,
  seed: own,
  loopId: own,
};

const byPath: ReadonlyMap<string, Reach> = new Map(Object.entries(reaches));

/** What a setting, given by its path, can do when a repository brings it. */
export function reachOf(path: string): Reach {
  return byPath.get(path) ?? runs;
}

/** Whether a value is at least as strict as another one. */
export function isAsStrict(value: unknown, other: unknown, strictness: Strictness): boolean {
  switch (strictness) {
    case 'fewer':
      return limitOf(value) <= limitOf(other);
    case 'more':
      return (Number(value) || 0) >= (Number(other) || 0);
    case 'subset':
      return Array.isArray(value) && Array.isArray(other) && value.every((entry) => other.includes(entry));
    case 'protection':
      return protectsAsMuch(value, other);
    case 'theirs':
      return JSON.stringify(value) === JSON.stringify(other);
    default:
      return rankOf(value, strictness) <= rankOf(other, strictness);
  }
}

function limitOf(value: unknown): number {
  return typeof value === 'number' && value !== 0 ? value : Number.POSITIVE_INFINITY;
}

function rankOf(value: unknown, values: readonly unknown[]): number {
  const rank = values.indexOf(value);
  return rank === -1 ? values.length - 1 : rank;
}

function protectsAsMuch(value: unknown, other: unknown): boolean {
  // Both were validated before.
  const [first, second] = [
    protectionOf((value ?? {}) as ProtectSetting),
    protectionOf((other ?? {}) as ProtectSetting),
  ];
  const modes: readonly string[] = protectionModes;
  return (
    modes.indexOf(first.mode) >= modes.indexOf(second.mode) &&
    second.paths.every((entry) => first.paths.includes(entry))
  );
}
