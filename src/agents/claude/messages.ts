import type { AgentEvent, Tokens } from '../_shared/event.ts';
import { asObject, asObjects, asText, type Json, known } from '../_shared/json.ts';
import { detailOf } from '../_shared/tool-detail.ts';
import { bare, contextOf, modelOf, tokensOfMessage } from './spent.ts';

/** Reads messages. They come block by block, each block with the whole message's name and usage. */
export interface Messages {
  /** A block of a message of the assistant, or of a subagent that works for it. */
  block(event: Json): readonly AgentEvent[];
  /** A piece of a message that is still being written. */
  piece(event: Json): readonly AgentEvent[];
  /** The model is announced, or another one takes over. */
  modelIs(model: string | undefined): readonly AgentEvent[];
  readonly model: string | undefined;
  /** All that models had to read in this run. */
  readonly seenContext: number;
}

/** How many messages may be under way at the same time, subagents' included, before one is counted twice. */
const maxConcurrent = 1_000;

/** Starts before the first message. */
export function createMessages(): Messages {
  return new MessageReader();
}

/** Whether an event belongs to a subagent's conversation. */
export function isOfSubagent(event: Json): boolean {
  return asText(event['parent_tool_use_id']) !== undefined;
}

class MessageReader implements Messages {
  #model: string | undefined;
  #seenContext = 0;
  readonly #seen = new Set<string>();
  #current = { id: '', text: '' };
  #written: { readonly id: string; readonly usage: Tokens } = { id: '', usage: {} };

  get model(): string | undefined {
    return this.#model;
  }

  get seenContext(): number {
    return this.#seenContext;
  }

  modelIs(model: string | undefined): readonly AgentEvent[] {
    if (model === undefined || (this.#model !== undefined && bare(model) === bare(this.#model))) return [];
    this.#model = model;
    return [{ type: 'model', model }];
  }

  block(event: Json): readonly AgentEvent[] {
    const message = asObject(event['message']) ?? {};
    const id = asText(message['id']) ?? '';
    const blocks = asObjects(message['content']);
    const events = [...this.#usage(id, message), ...blocks.flatMap(toolUse)];
    if (isOfSubagent(event)) return events;
    const used = contextOf(tokensOfMessage(asObject(message['usage']) ?? {}));
    return [
      ...this.modelIs(modelOf(message)),
      ...this.#text(id, blocks),
      ...events,
      ...(used === undefined ? [] : [{ type: 'context', used } as const]),
    ];
  }

  piece(event: Json): readonly AgentEvent[] {
    if (isOfSubagent(event)) return [];
    const raw = asObject(event['event']) ?? {};
    const message = asObject(raw['message']) ?? {};
    if (raw['type'] === 'message_start') {
      this.#written = { id: asText(message['id']) ?? '', usage: tokensOfMessage(asObject(message['usage']) ?? {}) };
      return [];
    }
    const { id, usage } = this.#written;
    if (raw['type'] === 'message_delta') {
      const now = { ...usage, ...tokensOfMessage(asObject(raw['usage']) ?? {}) };
      return [{ type: 'usage', usage: now, scope: { of: 'message', id } }];
    }
    const delta = asObject(raw['delta']);
    const text = delta?.['type'] === 'text_delta' ? asText(delta['text']) : undefined;
    return text === undefined ? [] : [{ type: 'text', message: id, text, append: true }];
  }

  /** A message without text is still the last one: earlier text is not the assistant's final text. */
  #text(id: string, blocks: readonly Json[]): readonly AgentEvent[] {
    const isNew = id !== this.#current.id;
    const reported = blocks.filter(({ type }) => type === 'text').flatMap((block) => asText(block['text']) ?? []);
    if (!isNew && reported.length === 0) return [];
    const before = isNew || this.#current.text === '' ? [] : [this.#current.text];
    this.#current = { id, text: [...before, ...reported].join('\n') };
    return [{ type: 'text', message: id, text: this.#current.text, append: false }];
  }

  #usage(id: string, message: Json): readonly AgentEvent[] {
    const { outputTokens, ...tokens } = tokensOfMessage(asObject(message['usage']) ?? {});
    if (Object.keys(tokens).length === 0) return [];
    if (!this.#seen.has(id)) this.#seenContext += contextOf(tokens) ?? 0;
    this.#seen.add(id);
    const [oldest] = this.#seen.size > maxConcurrent ? this.#seen : [];
    if (oldest !== undefined) this.#seen.delete(oldest);
    // Until a message is complete, its output counts what was written when it began.
    const isComplete = asText(message['stop_reason']) !== undefined && outputTokens !== undefined;
    const usage = isComplete ? { ...tokens, outputTokens } : tokens;
    return [{ type: 'usage', usage, scope: { of: 'message', id } }];
  }
}

function toolUse(block: Json): readonly AgentEvent[] {
  if (block['type'] !== 'tool_use') return [];
  const detail = known({ detail: detailOf(block['input']) });
  return [{ type: 'tool_use', id: asText(block['id']) ?? '', name: asText(block['name']) ?? '', ...detail }];
}
