import {
  configSchema,
  encodeConfig,
  type HookPoint,
  type LoopConfig,
  type LoopConfigInput,
} from '../../../src/protocol/index.ts';
import type { Random } from '../random.ts';
import { drawConditions } from './conditions.ts';

/** The configuration of a loop, and what disturbs it. */
export interface Setting {
  readonly config: LoopConfig;
  readonly input: LoopConfigInput;
  readonly checks: readonly string[];
  /** Whether people send commands. */
  readonly users: boolean;
  /** Whether owners die. */
  readonly crashes: boolean;
  /** Whether the disk fills up now and then. */
  readonly troubles: boolean;
  /** Whether the owner parks the loop during long waits. */
  readonly returns: boolean;
  /** Nobody interferes and nothing depends on time: the loop must end the same way with and without crashes. */
  readonly comparable: boolean;
}

/** Draws a valid configuration from all settings that the rules read. */
export function drawSetting(random: Random): Setting {
  const comparable = random.chance(0.25);
  const hasChecks = random.chance(0.8);
  const input: LoopConfigInput = {
    ...bounds(random, comparable),
    iterationDelay: random.pick(['0s', '0s', '5s', '3m']),
    completionPromise: hasChecks && random.chance(0.2) ? null : 'DONE',
    trustPromise: hasChecks ? random.chance(0.4) : random.chance(0.9),
    baseline: random.chance(0.5),
    onLimit: random.pick(['fail', 'pause']),
    onProviderLimit: random.pick(['wait', 'wait', 'stop']),
    contextRedlinePercent: random.pick([0, 50, 85, 85, 100]),
    session: {
      strategy: random.pick(['fresh', 'continue']),
      timeout: comparable ? '50w' : random.pick(['1m', '1h', '50w']),
    },
    stopConditions: { ...thresholds(random), ...drawConditions(random, comparable) },
    hooks: random.chance(0.6) ? drawHooks(random) : [],
  };
  const setting = {
    checks: hasChecks ? ['./check.sh', 'npm test'].slice(0, random.int(1, 2)) : [],
    users: !comparable && random.chance(0.9),
    crashes: comparable || random.chance(0.6),
    troubles: !comparable && random.chance(0.2),
    returns: random.chance(0.2),
    comparable,
  };
  const whole = {
    ...input,
    progress: drawProgress(random),
    allowBrokenBaseline: random.chance(0.3),
    verifyIn: random.pick(['tree', 'tree', 'clean', 'clean', 'sealed'] as const),
    ...boundsOnChanges(random),
    ...(comparable ? {} : drawSchedule(random)),
    ...(setting.users && random.chance(0.35) ? drawMode(random) : {}),
    testEvery: random.chance(0.2) ? random.int(1, 3) : 0,
    resources: random.chance(0.2) ? { apiCallsPerHour: random.int(1, 4) * 10 } : {},
    ...drawSession(random, { input, comparable }),
  };
  const { session } = whole;
  const isImmediate = session?.strategy === 'continue' && session.autoReboot === true && random.chance(0.5);
  if (isImmediate) whole.session = { ...session, reboot: { ...session.reboot, mode: 'immediate' } };
  return { config: configSchema.parse(whole), input: whole, ...setting };
}

/** Most sessions are short here; some loops let one session last, so that its iterations can be compared. */
function drawSession(
  random: Random,
  { input, comparable }: { readonly input: LoopConfigInput; readonly comparable: boolean },
): LoopConfigInput {
  const reboots = drawReboots(random, comparable);
  if (!random.chance(0.18)) return { session: { ...input.session, ...reboots } };
  return {
    maxIterations: 8,
    contextRedlinePercent: 100,
    session: { ...reboots, autoReboot: true, strategy: 'continue', timeout: '50w' },
    stopConditions: { maxTestFailureStreak: 0, maxNoProgressIterations: 9, maxSameErrorStreak: 4 },
  };
}

/** When a session is replaced before it is full; without limits that depend on time where the clock must not matter. */
function drawReboots(random: Random, comparable: boolean): NonNullable<LoopConfigInput['session']> {
  const limits = comparable
    ? { minInterval: '0s', maxPerHour: 100 }
    : { minInterval: random.pick(['0s', '1m', '1h']), maxPerHour: random.pick([1, 2, 10]) };
  return {
    autoReboot: random.chance(0.85),
    reboot: {
      ...limits,
      onDegradation: random.chance(0.8),
      ...(random.chance(0.15) ? { afterIterations: random.int(1, 4) } : {}),
      patterns: random.chance(0.3) ? ['as I (said|wrote)'] : [],
      minIterations: random.int(0, 4),
    },
  };
}

function drawProgress(random: Random): LoopConfigInput['progress'] {
  const others = ['file_changes', 'test_results', 'metric_velocity', 'custom_markers'] as const;
  return {
    strategy: random.chance(0.6) ? 'combined' : random.pick(others),
    metrics: random.chance(0.7) ? [{ name: 'speed', pattern: '([0-9]+)', weight: random.pick([0.05, 0.2]) }] : [],
  };
}

const pointsWithOutcome: ReadonlySet<HookPoint> = new Set([
  'post_iteration',
  'on_error',
  'on_no_progress',
  'on_test_failure',
  'on_progress',
  'on_file_change',
  'loop_end',
]);

function drawHooks(random: Random): NonNullable<LoopConfigInput['hooks']> {
  return ['a', 'b', 'c'].slice(0, random.int(1, 3)).map((name) => {
    const at = random.pick<readonly HookPoint[]>([
      ['pre_iteration'],
      ['post_iteration'],
      ['pre_iteration', 'post_iteration'],
      ['on_error', 'on_no_progress'],
      ['on_test_failure', 'on_progress'],
      ['pre_session', 'post_session'],
      ['on_file_change'],
      ['loop_start', 'loop_end'],
      ['loop_end'],
      ['pre_reboot', 'post_reboot'],
      ['on_mode_switch', 'post_session'],
      ['on_mode_switch'],
      ['pre_reboot', 'post_reboot', 'on_mode_switch'],
      ['pre_reboot', 'post_reboot', 'on_mode_switch', 'loop_end'],
    ]);
    const isConditional = random.chance(0.2) && at.every((point) => pointsWithOutcome.has(point));
    return {
      name,
      at: [...at],
      run: './hook.sh',
      priority: random.int(-1, 1),
      enabled: random.chance(0.9),
      everyN: random.pick([1, 1, 2, 3]),
      fatal: random.chance(0.4),
      ...(isConditional ? { ifStatus: ['failed', 'timed_out'] } : {}),
    };
  });
}

/** The same configuration with higher limits, as a user sets them for a loop that a limit has paused. */
export function widened(config: LoopConfig): LoopConfigInput {
  const { maxTime, maxTokens, maxOutputTokens, maxToolCalls, maxCostUsd, maxIterations } = config;
  const { maxFilesChanged, maxLinesChanged } = config;
  return encodeConfig({
    ...config,
    maxIterations: maxIterations === 0 ? 0 : maxIterations + 3,
    ...(maxTime === undefined ? {} : { maxTime: maxTime * 4 }),
    ...(maxTokens === undefined ? {} : { maxTokens: maxTokens * 2 }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: maxOutputTokens * 2 }),
    ...(maxToolCalls === undefined ? {} : { maxToolCalls: maxToolCalls * 2 }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd * 2 }),
    ...(maxFilesChanged === undefined ? {} : { maxFilesChanged: maxFilesChanged * 2 }),
    ...(maxLinesChanged === undefined ? {} : { maxLinesChanged: maxLinesChanged * 2 }),
  });
}

function bounds(random: Random, comparable: boolean): LoopConfigInput {
  const maxIterations = random.pick([0, 1, 1, 2, 3, 4, 5, 6, 8]);
  return {
    maxIterations,
    ...(maxIterations === 0 || random.chance(0.3) ? { maxTokens: random.int(1, 12) * 500 } : {}),
    ...(random.chance(0.3) ? { maxCostUsd: random.int(1, 12) / 8 } : {}),
    ...(random.chance(0.2) ? { maxOutputTokens: random.int(1, 12) * 100 } : {}),
    ...(random.chance(0.2) ? { maxToolCalls: random.int(1, 12) * 4 } : {}),
    budgetPolicy: random.pick(['cut', 'cut', 'finish', 'strict']),
    ...(!comparable && random.chance(0.4) ? { maxTime: random.pick(['10s', '4m', '30m', '6h']) } : {}),
  };
}

function boundsOnChanges(random: Random): LoopConfigInput {
  return {
    ...(random.chance(0.1) ? { maxFilesChanged: random.int(1, 6) } : {}),
    ...(random.chance(0.2) ? { maxLinesChanged: random.int(1, 40) } : {}),
  };
}

function drawSchedule(random: Random): LoopConfigInput {
  if (!random.chance(0.15)) return {};
  const hours = random.pick(['22:00-07:00', '09:00-12:00, 13:00-17:00', '12:01-12:30']);
  return {
    schedule: {
      hours,
      ...(random.chance(0.3) ? { days: ['mon', 'sat'] } : {}),
      blackout: random.chance(0.3) ? ['2026-01-01/2026-01-02', '23:00-01:00'] : [],
      timeZone: 'UTC',
    },
  };
}

/** Modes that ask a person, sometimes with an automatic approval. */
function drawMode(random: Random): LoopConfigInput {
  return {
    mode: random.pick(['attended', 'hybrid', 'hybrid', 'unattended']),
    ...(random.chance(0.2) ? { modeSchedule: drawModeSchedule(random) } : {}),
    ask: {
      before: random.pick(['iteration', 'iteration', 'completion']),
      ...(random.chance(0.4) ? { autoApproveAfter: random.pick(['5s', '10m']) } : {}),
      breakpoints: random.chance(0.3) ? [random.int(1, 3), random.pick(['test_regression', 'completion'])] : [],
      everyIterations: random.int(1, 3),
      everyFiles: random.int(2, 8),
      onFailures: random.int(0, 2),
      onPatterns: ['stuck'],
    },
  };
}

function drawModeSchedule(random: Random): NonNullable<LoopConfigInput['modeSchedule']> {
  const first = random.int(0, 22);
  return [
    { at: `${first}:30`, mode: random.pick(['attended', 'hybrid']), timeZone: 'UTC' },
    { at: `${random.int(first + 1, 23)}:10`, mode: 'unattended', timeZone: 'UTC' },
  ];
}

function thresholds(random: Random): NonNullable<LoopConfigInput['stopConditions']> {
  return {
    maxTestFailureStreak: random.int(0, 3),
    maxNoProgressIterations: random.int(0, 5),
    maxIterationFailureStreak: random.int(0, 5),
    maxSameErrorStreak: random.int(0, 3),
    stopOnPatterns: random.chance(0.15) ? ['FATAL|out of .*'] : [],
  };
}
