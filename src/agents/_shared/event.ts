import type { AgentOutcome, Usage } from '../../protocol/index.ts';

/** The meaning of one item that an agent printed. Every agent's stream is read into these. */
export type AgentEvent =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'model'; readonly model: string }
  /** The assistant's own text; never that of a user, a tool or another agent that works for it. */
  | {
      readonly type: 'text';
      /** Which message it belongs to, as far as the stream distinguishes messages. */
      readonly message: string;
      readonly text: string;
      /** Whether it continues the message, or is all of it. */
      readonly append: boolean;
    }
  /** A call of a tool. It may come again with the same id once its detail is known. */
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      /** Its main argument, such as a file or a command: one line of bounded length, to be redacted before it is shown. */
      readonly detail?: string;
    }
  /** A request to the model; it may come again with the same id, and counts once. One without an id counts each time. */
  | { readonly type: 'request'; readonly id: string }
  | { readonly type: 'tool_result'; readonly id: string; readonly ok: boolean }
  | { readonly type: 'usage'; readonly usage: Tokens; readonly scope: UsageScope }
  | { readonly type: 'cost'; readonly usd: number; readonly scope: UsageScope }
  | { readonly type: 'context'; readonly used?: number; readonly size?: number }
  /** The agent retries by itself: it is alive, but not working. */
  | {
      readonly type: 'retry';
      readonly attempt?: number;
      readonly delayMs?: number;
      readonly why: string;
      /** The outcome of the run if it stopped retrying now. */
      readonly outcome?: AgentOutcome;
    }
  /** The state of a provider's limit; only a rejected request is more than a warning. */
  | { readonly type: 'limit'; readonly rejected: boolean; readonly resetAt?: string }
  /** A tool was not allowed; `command` is what a shell would have run. */
  | { readonly type: 'permission_denied'; readonly tool: string; readonly command?: string }
  /** Work in the background, which is lost when the agent's process ends. */
  | { readonly type: 'background'; readonly id: string; readonly running: boolean }
  /** Something went wrong. An error that is not fatal is only informative. */
  | { readonly type: 'error'; readonly outcome: AgentOutcome; readonly message: string; readonly fatal: boolean }
  /** The agent's own result of this run; it overrides everything else. */
  | { readonly type: 'result'; readonly outcome: AgentOutcome; readonly text?: string; readonly message?: string };

/** Tokens, as far as they were reported; those read from a cache are not part of the input. */
export type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>;

/**
 * What a number stands for: one message, which may be reported repeatedly, so that its last number counts;
 * one step, to be added up; this whole run; or a whole session, runs before this one included.
 */
export type UsageScope =
  | { readonly of: 'message'; readonly id: string }
  | { readonly of: 'step' }
  | { readonly of: 'run' }
  | { readonly of: 'session' };
