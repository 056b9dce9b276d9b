/** What a scripted model answers to one request, in no vendor's words. */
export type Reply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly wish: Wish }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  /** Begins an answer and breaks the connection. */
  | { readonly kind: 'truncated' }
  /** Never answers: from the start, or after the beginning of an answer. */
  | { readonly kind: 'hang'; readonly begun: boolean };

/** What the model wants done by a tool, whatever the agent calls its tools. */
export type Wish =
  | { readonly tool: 'write'; readonly path: string; readonly content: string }
  | { readonly tool: 'shell'; readonly command: string; readonly inBackground?: boolean };

/** Why a provider refuses a request. */
export type Refusal =
  | 'auth'
  | 'rate_limit'
  /** The same, for half an hour: some agents wait for as long as that. */
  | 'long_limit'
  /** The limit of a plan, with the instant of its reset. */
  | 'usage_limit'
  | 'daily_quota'
  /** The conversation no longer fits. */
  | 'context'
  | 'server';

/** A refusal in a vendor's own words. */
export interface Refused {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What every answer is said to have cost. */
export const spent = { input: 1200, cacheRead: 300, cacheWrite: 100, output: 42, reasoning: 7 } as const;

/** How far away the reset of a usage limit is. */
export const resetInSeconds = 1800;

/** The instant of a reset as all vendors write it: whole seconds of the epoch. */
export function resetSecond(): number {
  return Math.floor(Date.now() / 1000) + resetInSeconds;
}

/** A text in the small pieces that a model sends it in, so that a tag is split over several. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,20}/gu) ?? [''];
}
