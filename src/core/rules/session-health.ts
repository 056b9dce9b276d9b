import type { ContextLevel, LoopConfig, RebootAdvice, ViewedSession } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import { type AgentSession, maxSamples, type SessionSample } from '../state/session.ts';

/** The state of the agent's session, for a person. */
export type SessionHealth = ViewedSession;

/** How full the context of a session is, and how that is known. */
export type ContextUse = NonNullable<ViewedSession['context']>;

/** The window that an estimate assumes, in tokens. */
const assumedWindow = 100_000;

/** The state of the session that the next iteration would continue; undefined before the first run. */
export function sessionHealth({
  config,
  session: { current },
}: Pick<Loop, 'config' | 'session'>): SessionHealth | undefined {
  if (current === undefined || current.iterations === 0) return undefined;
  const { startedAt, iterations } = current;
  const context = contextUse(current, config);
  const degraded = isDegraded(current);
  return {
    startedAt,
    iterations,
    isContinued: config.session.strategy === 'continue',
    ...(context === undefined ? {} : { context }),
    isDegraded: degraded,
    advice: adviceFor(config, context, degraded),
  };
}

/** How full a session is: what the agent reported, otherwise an estimate. */
function contextUse({ contextPercent, estimatedTokens }: AgentSession, config: LoopConfig): ContextUse | undefined {
  if (contextPercent !== undefined) {
    return { percent: contextPercent, level: levelOf(contextPercent, config), source: 'reported' };
  }
  if (estimatedTokens === undefined) return undefined;
  const percent = Math.min(100, (100 * estimatedTokens) / assumedWindow);
  return { percent, level: levelOf(percent, config), source: 'estimated' };
}

/** The level of a usage: "redline" and "warning" begin at their settings, the others divide what is below. */
export function levelOf(
  percent: number,
  { contextRedlinePercent, session: { warningPercent } }: Pick<LoopConfig, 'contextRedlinePercent' | 'session'>,
): ContextLevel {
  if (percent >= contextRedlinePercent) return 'redline';
  if (percent >= warningPercent) return 'warning';
  // With the default warning at 70 %, "medium" begins at 50 % and "high" at 60 %.
  if (7 * percent >= 6 * warningPercent) return 'high';
  return 7 * percent >= 5 * warningPercent ? 'medium' : 'low';
}

/**
 * Whether the work in a session gets worse: the latest three of five iterations went more than 20 % worse than the first
 * two, while its context filled up or its runs took more than 50 % longer. One bad iteration alone is not enough.
 */
export function isDegraded({ samples = [] }: Pick<AgentSession, 'samples'>): boolean {
  if (samples.length < maxSamples) return false;
  const [earlier, later] = [samples.slice(0, 2), samples.slice(2)];
  const hasDropped = meanOf(later, 'quality') < 0.8 * meanOf(earlier, 'quality') - rounding;
  return hasDropped && (isFilling(samples) || meanOf(later, 'durationMs') > 1.5 * meanOf(earlier, 'durationMs'));
}

/** Whether the latest two iterations of a session failed. */
export function isFailing({ samples = [] }: Pick<AgentSession, 'samples'>): boolean {
  const latest = samples.slice(-2);
  return latest.length === 2 && latest.every(({ quality }) => quality === sampleQuality.failed);
}

/** How well an iteration went. The values are chosen so that one bad iteration among three is no drop of over 20 %. */
export const sampleQuality = { progress: 100, noProgress: 50, failed: 40 } as const;

// A drop of exactly 20 % is not more than 20 %, whatever floating point makes of it.
const rounding = 1e-9;

function isFilling(samples: readonly SessionSample[]): boolean {
  const [first, last] = [samples[0]?.percent, samples.at(-1)?.percent];
  return first !== undefined && last !== undefined && last > first;
}

function meanOf(samples: readonly SessionSample[], what: 'quality' | 'durationMs'): number {
  return samples.reduce((sum, sample) => sum + sample[what], 0) / samples.length;
}

function adviceFor({ session }: LoopConfig, context: ContextUse | undefined, degraded: boolean): RebootAdvice {
  // Each iteration is a new session anyway.
  if (session.strategy === 'fresh') return 'continue';
  const urgency = urgencyOf(context, degraded);
  return urgency === 'continue' || session.autoReboot ? urgency : 'manual';
}

function urgencyOf(context: ContextUse | undefined, degraded: boolean): Exclude<RebootAdvice, 'manual'> {
  const isWarned = context?.level === 'warning' || context?.level === 'redline';
  if (!isWarned && !degraded) return 'continue';
  if (context?.source === 'estimated') return 'finish_and_reboot';
  return context?.level === 'redline' || (isWarned && degraded) ? 'immediate_reboot' : 'finish_and_reboot';
}
