import type { AgentOutcome, Usage } from '../../protocol/index.ts';

/** What one thing that an agent printed means. Every agent's stream is read into these. */
export type AgentEvent =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'model'; readonly model: string }
  /** The assistant's own words; never those of a user, a tool or another agent that works for it. */
  | {
      readonly type: 'text';
      /** Which message they belong to, as far as the stream tells messages apart. */
      readonly message: string;
      readonly text: string;
      /** Whether they go on where the message stopped, or are all of it. */
      readonly append: boolean;
    }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string }
  | { readonly type: 'tool_result'; readonly id: string; readonly ok: boolean }
  | { readonly type: 'usage'; readonly usage: Tokens; readonly scope: UsageScope }
  | { readonly type: 'cost'; readonly usd: number; readonly scope: UsageScope }
  | { readonly type: 'context'; readonly used?: number; readonly size?: number }
  /** The agent tries again by itself: it is alive, but not working. */
  | { readonly type: 'retry'; readonly attempt?: number; readonly delayMs?: number; readonly why: string }
  /** How a provider's limit stands; only a rejected request is more than a warning. */
  | { readonly type: 'limit'; readonly rejected: boolean; readonly resetAt?: string }
  | { readonly type: 'permission_denied'; readonly tool: string }
  /** Work that goes on behind the agent's back and is lost when its process ends. */
  | { readonly type: 'background'; readonly id: string; readonly running: boolean }
  /** Something went wrong. One that is not fatal is only worth knowing. */
  | { readonly type: 'error'; readonly outcome: AgentOutcome; readonly message: string; readonly fatal: boolean }
  /** The agent's last word about this run; it wins over everything else. */
  | { readonly type: 'result'; readonly outcome: AgentOutcome; readonly text?: string; readonly message?: string };

/** Tokens, as far as they were reported; those read from a cache are not part of the input. */
export type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>;

/**
 * What a number stands for: one message, which may be reported again and again, so that its last number counts;
 * one step, to be added up; this whole run; or a whole session, runs before this one included.
 */
export type UsageScope =
  | { readonly of: 'message'; readonly id: string }
  | { readonly of: 'step' }
  | { readonly of: 'run' }
  | { readonly of: 'session' };
