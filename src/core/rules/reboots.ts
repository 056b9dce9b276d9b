import type { LoopConfig, RebootCause } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import type { AgentSession, Reboot } from '../state/session.ts';
import { isDegraded, isFailing } from './session-health.ts';

/** A reboot that the loop needs, and what holds it back for now. */
export interface DueReboot {
  readonly cause: RebootCause;
  readonly heldBy?: 'failure' | 'minIterations' | 'minInterval' | 'maxPerHour';
}

const hour = 3_600_000;

/**
 * Whether the agent needs a new session before it continues. A session that is full or too old is always replaced, as is
 * one that a person wants replaced; other causes respect the limits on reboots.
 */
export function dueReboot({ commands, config, session, position }: Loop, nowMs: number): DueReboot | undefined {
  if (commands.requests.reboot) return { cause: 'manual' };
  const { current, reboots = [] } = session;
  if (config.session.strategy !== 'continue' || current === undefined || current.iterations === 0) return undefined;
  const needed = neededCause(current, config, nowMs);
  if (needed !== undefined) return { cause: needed };
  const cause = config.session.autoReboot ? optionalCause(current, config) : undefined;
  if (cause === undefined) return undefined;
  // A session that could go on is not worth a wait, let alone the loop: the next iteration comes first, with all its
  // attempts.
  const last = reboots.at(-1);
  if (last?.ok === false && last.iteration === position.finished) return { cause, heldBy: 'failure' };
  const heldBy = heldBack({ cause, session: current, reboots }, config, nowMs);
  return heldBy === undefined ? { cause } : { cause, heldBy };
}

/** At what usage of its context, in percent, an agent at work is ended. */
export interface RedlineCut {
  readonly percent: number;
  /** The size of the window in tokens, as an earlier run reported it: some agents report it only at their end. */
  readonly window?: number;
  /** Whether the session is known to have been below it; otherwise the run has to show that first. */
  readonly isBelow: boolean;
}

/** Whether the run that starts or continues is ended at the redline; undefined if it may finish. */
export function redlineCut({ config, session: { current, contextWindow } }: Loop): RedlineCut | undefined {
  const { strategy, autoReboot, reboot } = config.session;
  if (strategy !== 'continue' || !autoReboot || reboot.mode !== 'immediate') return undefined;
  const percent = Math.min(100, config.contextRedlinePercent);
  // With a redline of 0 every iteration gets a session of its own, and none could be below it.
  if (percent === 0) return undefined;
  const known = current === undefined || current.iterations === 0 ? undefined : current.contextPercent;
  // A session whose reboot failed is as full as it was: its runs would all be ended before they could do anything.
  if (known !== undefined && known >= percent) return undefined;
  return { percent, ...(contextWindow === undefined ? {} : { window: contextWindow }), isBelow: known !== undefined };
}

/** When a loop tries again after this many failed reboots in a row. */
export function rebootRetryAt({ session }: LoopConfig, failures: number, nowMs: number): number {
  return nowMs + failures * session.reboot.cooldown;
}

/** A full session cannot be continued at all, so not even a person can keep it. */
function neededCause(
  { contextPercent, startedAt }: AgentSession,
  { contextRedlinePercent, session }: LoopConfig,
  nowMs: number,
): RebootCause | undefined {
  const redline = session.autoReboot ? Math.min(100, contextRedlinePercent) : 100;
  if (contextPercent !== undefined && contextPercent >= redline) return 'redline';
  const isTooOld = nowMs - Date.parse(startedAt) >= session.timeout;
  return session.autoReboot && isTooOld ? 'session_timeout' : undefined;
}

function optionalCause(session: AgentSession, { session: { reboot } }: LoopConfig): RebootCause | undefined {
  if (isFailing(session)) return 'error';
  if (session.iterations >= (reboot.afterIterations ?? Number.POSITIVE_INFINITY)) return 'iteration_limit';
  if (session.rebootPattern !== undefined) return 'pattern';
  return reboot.onDegradation && isDegraded(session) ? 'degradation' : undefined;
}

interface Candidate {
  readonly cause: RebootCause;
  readonly session: AgentSession;
  readonly reboots: readonly Reboot[];
}

function heldBack(
  { cause, session, reboots }: Candidate,
  { session: { reboot } }: LoopConfig,
  nowMs: number,
): DueReboot['heldBy'] {
  const isGuess = cause === 'pattern' || cause === 'degradation';
  if (isGuess && session.iterations < reboot.minIterations) return 'minIterations';
  // A reboot in the future was recorded before the clock was set back; it holds back nothing.
  const since = (ms: number) =>
    reboots.filter(({ at }) => {
      const age = nowMs - Date.parse(at);
      return age >= 0 && age < ms;
    });
  if (since(reboot.minInterval).length > 0) return 'minInterval';
  return since(hour).filter(({ ok }) => ok).length >= reboot.maxPerHour ? 'maxPerHour' : undefined;
}
