import type { Conversation } from './conversation.ts';
import type { Json } from './json.ts';
import type { Refusal, Refused } from './reply.ts';
import type { ToolCall } from './tools.ts';

/** An answer before it is rendered in a vendor's format. */
export type Answer = { readonly text: string } | { readonly call: ToolCall };

/** An event of a stream; named if the vendor names its events. */
export interface StreamEvent {
  readonly name?: string;
  /** A JSON value, or text that is sent verbatim. */
  readonly data: unknown;
}

/** An answer in a vendor's format, whole and as a stream. */
export interface Rendered {
  readonly whole: unknown;
  readonly events: readonly StreamEvent[];
}

/** The API between one vendor's clients and its models. */
export interface Protocol {
  readonly name: string;
  /** Whether a request with this path, without the scenario prefix, is for a model of this vendor. */
  matches(path: string): boolean;
  /** An answer that needs no model, such as a token count. */
  aside?(path: string): unknown;
  read(body: Json, path: string): Conversation;
  render(answer: Answer, conversation: Conversation, body: Json): Rendered;
  refuse(refusal: Refusal): Refused;
}

let made = 0;

/** An id that is unique on this server. */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}_${String(made).padStart(6, '0')}`;
}
