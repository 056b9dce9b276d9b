import type { AgentEvent } from './event.ts';

/** Something that an agent wrote or did, for people who read along. */
export type TranscriptEntry =
  /** More of the assistant's text. */
  | { readonly type: 'text'; readonly text: string; readonly startsMessage: boolean }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly detail?: string }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly detail?: string;
      readonly ok: boolean;
    }
  | { readonly type: 'permission_denied'; readonly tool: string }
  | { readonly type: 'retry'; readonly why: string }
  | { readonly type: 'error'; readonly message: string };

/** Turns events into what people read: each word, call and error once, though agents report many of them twice. */
export interface Transcript {
  take(event: AgentEvent): readonly TranscriptEntry[];
  /** Whether the assistant has written anything. */
  readonly hasText: boolean;
}

type Call = Extract<AgentEvent, { readonly type: 'tool_use' }>;

/** How much of a message is remembered to recognise it when it comes again, as a whole. */
const rememberedLength = 4_096;
const maxCalls = 10_000;

/** Starts before the first event. */
export function createTranscript(): Transcript {
  const calls = new Map<string, Call>();
  let message: { readonly id: string; readonly start: string; readonly length: number } | undefined;
  let hasText = false;
  let lastError = '';

  const takeText = (id: string, text: string, append: boolean): readonly TranscriptEntry[] => {
    const before = message?.id === id ? message : { id, start: '', length: 0 };
    const isSame = append || (text.startsWith(before.start) && text.length >= before.length);
    const more = append ? text : text.slice(isSame ? before.length : 0);
    const start = (append ? before.start + text : text).slice(0, rememberedLength);
    message = { id, start, length: append ? before.length + text.length : text.length };
    if (more === '') return [];
    hasText = true;
    return [{ type: 'text', text: more, startsMessage: before.length === 0 || !isSame }];
  };
  const takeCall = (call: Call): readonly TranscriptEntry[] => {
    const isKnown = call.id !== '' && calls.get(call.id)?.detail === call.detail && calls.has(call.id);
    calls.set(call.id, call);
    const [oldest] = calls.size > maxCalls ? calls.keys() : [];
    if (oldest !== undefined) calls.delete(oldest);
    return isKnown ? [] : [call];
  };
  const takeResult = (id: string, ok: boolean): readonly TranscriptEntry[] => {
    const { name = '', detail } = calls.get(id) ?? {};
    return [{ type: 'tool_result', id, name, ...(detail === undefined ? {} : { detail }), ok }];
  };
  const takeError = (text: string): readonly TranscriptEntry[] => {
    if (text === lastError || text === '') return [];
    lastError = text;
    return [{ type: 'error', message: text }];
  };

  return {
    get hasText() {
      return hasText;
    },
    take(event) {
      switch (event.type) {
        case 'text':
          return takeText(event.message, event.text, event.append);
        case 'tool_use':
          return takeCall(event);
        case 'tool_result':
          return takeResult(event.id, event.ok);
        case 'permission_denied':
          return [{ type: 'permission_denied', tool: event.tool }];
        case 'retry':
          return [{ type: 'retry', why: event.why }];
        case 'error':
          return takeError(event.message);
        case 'result':
          // The answer that comes with the result is the whole of the last message.
          return [
            ...takeText(message?.id ?? '', event.text ?? '', event.text === undefined),
            ...takeError(event.message ?? ''),
          ];
        case 'session':
        case 'model':
        case 'request':
        case 'usage':
        case 'cost':
        case 'context':
        case 'limit':
        case 'background':
          return [];
      }
    },
  };
}
