import type { HostSession, SessionStop } from '../../core/index.ts';
import type { AgentPort, AgentRun } from '../../runner/index.ts';
import { thisMachine } from '../machine.ts';

/** An agent in an interactive session: it works between two calls of its hook, and no process runs the loop then. */
export interface SessionPort {
  readonly port: AgentPort;
  /** The prompt for the session, once the loop has one. */
  readonly prompt: () => string | undefined;
}

/** What the session did since it got its prompt. */
export interface SessionTurn {
  readonly stop: SessionStop;
  /** When it got the prompt. */
  readonly promptedAt: string | undefined;
}

/** The agent of a session. `turn` is what it did since its last prompt; without one it has just started. */
export function createSessionPort(session: HostSession, turn?: SessionTurn): SessionPort {
  let delivered: string | undefined;
  return {
    prompt: () => delivered,
    port: {
      handOver({ prompt }) {
        delivered = prompt;
        return session;
      },
      run: async () => {
        throw new TypeError('An agent in a session is never started.');
      },
      recover: async () => turn && resultOf(turn),
    },
  };
}

function resultOf({ stop: { message, sessionId }, promptedAt }: SessionTurn): AgentRun {
  const nowMs = thisMachine.clock.nowMs();
  const startedMs = promptedAt === undefined ? nowMs : Date.parse(promptedAt);
  return {
    ending: { kind: 'exited', code: 0 },
    outcome: 'completed',
    claimText: message,
    text: message,
    sessionId,
    durationMs: Math.max(0, Math.round(nowMs - startedMs)),
  };
}
