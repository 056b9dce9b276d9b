import type { RebootCause, Usage } from '../../protocol/index.ts';

/** The agent's session that the next iteration would continue. */
export interface AgentSession {
  readonly id?: string;
  readonly startedAt: string;
  readonly iterations: number;
  /** Its usage so far, if the agent reports it. */
  readonly usage?: Usage;
  readonly contextPercent?: number;
}

/** A session that has ended. */
export interface EndedSession {
  readonly id?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly iterations: number;
  readonly endReason: RebootCause | 'iteration';
}

/** The agent's sessions. */
export interface SessionState {
  readonly current?: AgentSession;
  readonly history: readonly EndedSession[];
  /** A reboot happened: the next prompt hands the work over to a fresh session. */
  readonly handOff: boolean;
}

/** No session yet. */
export const noSession: SessionState = { history: [], handOff: false };

/** How many ended sessions stay in the state. */
export const maxSessions = 20;

/** Moves the session, if there is one, into the bounded history. */
export function endSession(state: SessionState, endedAt: string, endReason: EndedSession['endReason']): SessionState {
  const { current, ...rest } = state;
  if (current === undefined) return state;
  const ended: EndedSession = {
    ...(current.id === undefined ? {} : { id: current.id }),
    startedAt: current.startedAt,
    endedAt,
    iterations: current.iterations,
    endReason,
  };
  return { ...rest, history: [...state.history, ended].slice(-maxSessions) };
}
