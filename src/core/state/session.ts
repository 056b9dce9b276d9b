import { headText } from '../../base/index.ts';
import type { RebootCause, Usage } from '../../protocol/index.ts';

/** One iteration of a session that is continued. */
export interface SessionSample {
  /** How well it went: 100 with progress, 50 without, 40 if the run failed. */
  readonly quality: number;
  readonly durationMs: number;
  /** How full the context was at its end, as the agent reported it. */
  readonly percent?: number;
}

/** The agent's session that the next iteration would continue. */
export interface AgentSession {
  readonly id?: string;
  readonly startedAt: string;
  readonly iterations: number;
  /** Its usage so far, if the agent reports it. */
  readonly usage?: Usage;
  /** How full its context is, as the agent reported it. */
  readonly contextPercent?: number;
  /** How long the agent has worked in it. */
  readonly executionMs?: number;
  /** When its latest run ended. */
  readonly lastActivityAt?: string;
  /** Estimated tokens in its context, while the agent reports none. */
  readonly estimatedTokens?: number;
  /** The pattern that asks for a reboot and that the agent's text has matched. */
  readonly rebootPattern?: string;
  /** Its latest iterations, newest last; only for a session that is continued. */
  readonly samples?: readonly SessionSample[];
}

/** A session that has ended. */
export interface EndedSession {
  readonly id?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly iterations: number;
  readonly endReason: RebootCause | 'iteration';
  readonly executionMs?: number;
  readonly contextPercent?: number;
}

/** A reboot, and whether it worked. */
export interface Reboot {
  readonly at: string;
  readonly cause: RebootCause;
  /** The number of iterations that had finished. */
  readonly iteration: number;
  readonly ok: boolean;
  readonly message?: string;
}

/** The agent's sessions. */
export interface SessionState {
  readonly current?: AgentSession;
  readonly history: readonly EndedSession[];
  /** A reboot happened: the next prompt hands the work over to a fresh session. */
  readonly handOff: boolean;
  /** The size of the context window in tokens that an agent reported last. */
  readonly contextWindow?: number;
  /** The latest reboots, newest last; missing before the first. */
  readonly reboots?: readonly Reboot[];
}

/** No session yet. */
export const noSession: SessionState = { history: [], handOff: false };

/** How many ended sessions stay in the state. */
export const maxSessions = 20;

/** How many reboots stay in the state, and how much of a message. */
const maxReboots = 100;
const maxMessageLength = 200;

/** How many iterations of a session are compared. */
export const maxSamples = 5;

/** Moves the session, if there is one, into the bounded history. */
export function endSession(state: SessionState, endedAt: string, endReason: EndedSession['endReason']): SessionState {
  const { current, ...rest } = state;
  if (current === undefined) return state;
  const { id, startedAt, iterations, executionMs, contextPercent } = current;
  const ended: EndedSession = {
    ...(id === undefined ? {} : { id }),
    startedAt,
    endedAt,
    iterations,
    endReason,
    ...(executionMs === undefined ? {} : { executionMs }),
    ...(contextPercent === undefined ? {} : { contextPercent }),
  };
  return { ...rest, history: [...state.history, ended].slice(-maxSessions) };
}

/** Adds a reboot to the bounded history. */
export function addReboot({ reboots = [], ...rest }: SessionState, reboot: NewReboot): SessionState {
  const { at, cause, iteration, ok, message } = reboot;
  const why = message === undefined ? {} : { message: headText(message, maxMessageLength) };
  return { ...rest, reboots: [...reboots, { at, cause, iteration, ok, ...why }].slice(-maxReboots) };
}

type NewReboot = Omit<Reboot, 'message'> & { readonly message?: string | undefined };

/** Adds an iteration to the latest ones of a session. */
export function addSample(session: AgentSession, sample: SessionSample): AgentSession {
  return { ...session, samples: [...(session.samples ?? []), sample].slice(-maxSamples) };
}
