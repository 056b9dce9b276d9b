/** A scripted model's reply to one request, independent of the vendor. */
export type Reply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly wish: Wish }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  /** Starts an answer and closes the connection. */
  | { readonly kind: 'truncated' }
  /** Never answers: from the start, or after the beginning of an answer. */
  | { readonly kind: 'hang'; readonly begun: boolean };

/** What the model asks a tool to do, independent of the agent's tool names. */
export type Wish =
  | { readonly tool: 'write'; readonly path: string; readonly content: string }
  | { readonly tool: 'shell'; readonly command: string; readonly inBackground?: boolean };

/** Why a provider refuses a request. */
export type Refusal =
  | 'auth'
  | 'rate_limit'
  /** The same for half an hour; some agents wait that long. */
  | 'long_limit'
  /** The limit of a plan, with the time of its reset. */
  | 'usage_limit'
  | 'daily_quota'
  /** The conversation no longer fits into the context. */
  | 'context'
  | 'server';

/** A refusal in a vendor's own format. */
export interface Refused {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The usage reported for every answer. */
export const spent = { input: 1200, cacheRead: 300, cacheWrite: 100, output: 42, reasoning: 7 } as const;

/** The time until a usage limit resets. */
export const resetInSeconds = 1800;

/** The time of the reset in whole epoch seconds, as all vendors write it. */
export function resetSecond(): number {
  return Math.floor(Date.now() / 1000) + resetInSeconds;
}

/** Text in small chunks, as a model streams it, so that a tag spans several chunks. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,20}/gu) ?? [''];
}
