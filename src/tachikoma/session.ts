import { SessionConfig } from './config.ts';

/**
 * A conversation with the agent. Iterations that are executed with the same session continue it; a new session begins
 * without what the agent knew. Behind it is a loop of ralphd, paused between iterations.
 */
export class Session {
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

  /** @param config how the agent is started. */
  constructor(config: Partial<SessionConfig> = {}) {
    this.config = { ...SessionConfig.default(), ...config };
  }

  /** How full the context is, in percent; 0 if the agent does not report it. */
  getContextUsage(): number {
    return this.contextUsage;
  }
}

/** Hands out the current session, and replaces it. */
export class SessionManager {
  readonly #config: Partial<SessionConfig>;
  #current: Session | undefined;

  /** @param config how the agent is started in every session. */
  constructor(config: Partial<SessionConfig> = {}) {
    this.#config = config;
  }

  /** The current session; a new one if there is none. */
  getOrCreateSession(): Session {
    return (this.#current ??= new Session(this.#config));
  }

  /** A new session in the place of the current one. */
  createFreshSession(): Session {
    this.#current = new Session(this.#config);
    return this.#current;
  }

  /** Ends the current session; the next one is new. */
  endCurrentSession(): void {
    this.#current = undefined;
  }
}
