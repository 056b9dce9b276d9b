import { randomUUID } from 'node:crypto';
import { failures } from '../base/index.ts';
import { SessionConfig } from './config.ts';
import { LoopError } from './errors.ts';

/** Whether a session takes a prompt, has one, or is over. */
export type SessionStatus = 'ready' | 'executing' | 'ended' | 'terminated';

/** A session at one moment. */
export interface SessionInfo {
  /** The id of the session, `ses_…`. */
  readonly sessionId: string;
  /** The agent's own id for the conversation; undefined before the first iteration, or if the agent has none. */
  readonly agentSessionId: string | undefined;
  /** Whether it takes a prompt. */
  readonly status: SessionStatus;
  /** When it was created, in milliseconds. */
  readonly createdAtMs: number;
  /** When its latest iteration began or ended, in milliseconds. */
  readonly lastActivityAtMs: number;
  /** How many prompts it was given. */
  readonly promptCount: number;
  /** How long the agent has worked in it. */
  readonly totalExecutionMs: number;
  /** How full its context is, in percent; 0 if the agent does not report it. */
  readonly contextUsage: number;
  /** How the agent is started. */
  readonly config: SessionConfig;
}

/** An iteration under way in a session. */
interface SessionWork {
  /** Settles when it is over. */
  readonly over: Promise<unknown>;
  /** Ends the agent with everything that it started. */
  readonly stop: () => Promise<unknown>;
}

/**
 * A conversation with the agent. Iterations that are executed with the same session continue it; a new session begins
 * without what the agent knew. Behind it is a loop of ralphd, paused between iterations.
 */
export class Session {
  /** The id of the session: a random UUID, shown with the prefix `ses_`. */
  readonly sessionId = `ses_${randomUUID()}`;
  /** How the agent is started. */
  readonly config: SessionConfig;
  /** The agent's own id for the conversation; undefined before the first iteration, or if the agent has none. */
  id: string | undefined;
  /** The loop of ralphd that holds the session; undefined before the first iteration. */
  loopId: string | undefined;
  /** How many iterations it has had. */
  iterations = 0;
  /** The newest event of the loop that was read. */
  lastSeq = 0;
  /** How full its context is, in percent. */
  contextUsage = 0;
  readonly #createdAtMs = Date.now();
  #status: SessionStatus = 'ready';
  #lastActivityAtMs = this.#createdAtMs;
  #promptCount = 0;
  #totalExecutionMs = 0;
  #work: SessionWork | undefined;

  /** @param config how the agent is started. */
  constructor(config: Partial<SessionConfig> = {}) {
    this.config = { ...SessionConfig.default(), ...config };
  }

  /** Whether it takes a prompt. */
  get status(): SessionStatus {
    return this.#status;
  }

  /** Whether it is over for good. */
  get isTerminal(): boolean {
    return this.#status === 'ended' || this.#status === 'terminated';
  }

  /** The session at this moment. */
  info(): SessionInfo {
    return {
      sessionId: this.sessionId,
      agentSessionId: this.id,
      status: this.#status,
      createdAtMs: this.#createdAtMs,
      lastActivityAtMs: this.#lastActivityAtMs,
      promptCount: this.#promptCount,
      totalExecutionMs: this.#totalExecutionMs,
      contextUsage: this.contextUsage,
      config: { ...this.config },
    };
  }

  /** How full the context is, in percent; 0 if the agent does not report it. */
  getContextUsage(): number {
    return this.contextUsage;
  }

  /** Lets the iteration under way finish, then ends the session. */
  async end(): Promise<void> {
    await this.#work?.over.catch(() => {});
    if (!this.isTerminal) this.#status = 'ended';
  }

  /** Ends the session at once, and the agent with everything that it started. */
  async terminate(): Promise<void> {
    if (this.isTerminal) return;
    this.#status = 'terminated';
    await this.#work?.stop();
    await this.#work?.over.catch(() => {});
  }

  /**
   * Runs one iteration in this session; only a session that is ready takes one.
   *
   * @internal
   */
  async occupy<Result>(run: (onStop: (stop: () => Promise<unknown>) => void) => Promise<Result>): Promise<Result> {
    if (this.#status !== 'ready') throw notReady(this);
    this.#status = 'executing';
    this.#promptCount += 1;
    const startedAtMs = Date.now();
    this.#lastActivityAtMs = startedAtMs;
    let stop: (() => Promise<unknown>) | undefined;
    const over = run((found) => {
      stop = found;
      // Terminated before the agent could be started: nothing must go on.
      if (this.isTerminal) void found();
    });
    this.#work = { over, stop: async () => await stop?.() };
    try {
      return await over;
    } finally {
      this.#work = undefined;
      this.#lastActivityAtMs = Date.now();
      this.#totalExecutionMs += this.#lastActivityAtMs - startedAtMs;
      if (!this.isTerminal) this.#status = 'ready';
    }
  }
}

function notReady({ sessionId, status }: Session): LoopError {
  const failure = failures.sessionNotReady(sessionId, status);
  return new LoopError(failure, { kind: 'CommandFailed', source: failure.message });
}

/** How many sessions a manager keeps. */
const maxSessions = 5;

/** Hands out the current session, replaces it, and knows the others. */
export class SessionManager {
  readonly #config: Partial<SessionConfig>;
  #sessions: readonly Session[] = [];
  #current: Session | undefined;

  /** @param config how the agent is started in every session. */
  constructor(config: Partial<SessionConfig> = {}) {
    this.#config = config;
  }

  /** The current session; a new one if there is none, or if it is over. */
  getOrCreateSession(): Session {
    return this.#current === undefined || this.#current.isTerminal ? this.createSession() : this.#current;
  }

  /** A new session, which becomes the current one; the others stay. Sessions that are over make room for it. */
  createSession(): Session {
    const kept =
      this.#sessions.length < maxSessions ? this.#sessions : this.#sessions.filter((each) => !each.isTerminal);
    if (kept.length >= maxSessions) throw tooMany();
    const session = new Session(this.#config);
    this.#sessions = [...kept, session];
    this.#current = session;
    return session;
  }

  /** A new session in the place of the current one, which ends after the iteration under way. */
  createFreshSession(): Session {
    this.endCurrentSession();
    return this.createSession();
  }

  /** Ends the current session after the iteration under way; the next one is new. */
  endCurrentSession(): void {
    const ending = this.#current;
    this.#current = undefined;
    this.#sessions = this.#sessions.filter((each) => each !== ending || each.status === 'executing');
    void ending?.end();
  }

  /** Ends all sessions at once, and their agents. */
  async terminateAll(): Promise<void> {
    this.#current = undefined;
    await Promise.all(this.#sessions.map(async (session) => await session.terminate()));
  }

  /** The sessions that are kept, oldest first. */
  list(): readonly SessionInfo[] {
    return this.#sessions.map((session) => session.info());
  }

  /** How many sessions there are, and how many are not over. */
  counts(): { readonly total: number; readonly active: number } {
    return { total: this.#sessions.length, active: this.#sessions.filter((each) => !each.isTerminal).length };
  }
}

function tooMany(): LoopError {
  const failure = failures.tooManySessions(maxSessions);
  return new LoopError(failure, { kind: 'TooManySessions', source: failure.message });
}
