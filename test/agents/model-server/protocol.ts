import type { Conversation } from './conversation.ts';
import type { Json } from './json.ts';
import type { Refusal, Refused } from './reply.ts';
import type { ToolCall } from './tools.ts';

/** An answer before it is put into a vendor's words. */
export type Answer = { readonly text: string } | { readonly call: ToolCall };

/** An event of a stream: with a name where the vendor gives it one. */
export interface StreamEvent {
  readonly name?: string;
  /** A JSON value, or a text that is sent as it is. */
  readonly data: unknown;
}

/** An answer in a vendor's words, in one piece and as a stream. */
export interface Rendered {
  readonly whole: unknown;
  readonly events: readonly StreamEvent[];
}

/** How one vendor's clients speak to their model. */
export interface Protocol {
  readonly name: string;
  /** Whether a request on this path, given without the prefix of the script, is for a model of this vendor. */
  matches(path: string): boolean;
  /** An answer that needs no model, such as a count of tokens. */
  aside?(path: string): unknown;
  read(body: Json, path: string): Conversation;
  render(answer: Answer, conversation: Conversation, body: Json): Rendered;
  refuse(refusal: Refusal): Refused;
}

let made = 0;

/** An id that no other answer of this server has. */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}_${String(made).padStart(6, '0')}`;
}
