import type { AgentOutcome } from '../../protocol/index.ts';

/** What an error that an agent reported means. */
export interface ReadError {
  readonly outcome: AgentOutcome;
  readonly message: string;
  /** When to try again, if it states that. */
  readonly resetAt?: string;
}
