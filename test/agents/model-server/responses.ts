import { type Conversation, conversationOf, type Turn } from './conversation.ts';
import { type Json, objectsOf, spokenText, textOf } from './json.ts';
import { refuseAsOpenAi } from './openai-refusals.ts';
import { type Answer, newId, type Protocol, type Rendered, type StreamEvent } from './protocol.ts';
import { pieces, spent } from './reply.ts';
import type { ToolCall } from './tools.ts';

/** OpenAI Responses. */
export const responses: Protocol = {
  name: 'responses',
  matches: (path) => path.endsWith('/responses'),
  read: (body) => {
    const { input } = body;
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
    return conversationOf(items.flatMap(turnsOf), {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      tools: objectsOf(body['tools']).flatMap(toolNames),
    });
  },
  render,
  refuse: refuseAsOpenAi,
};

function turnsOf(item: Json): Turn[] {
  if (textOf(item['type']).endsWith('_output')) return [{ by: 'tool', count: 1 }];
  const { role } = item;
  if (role !== 'user' && role !== 'assistant') return [];
  return [{ by: role, text: spokenText(item['content']) }];
}

function toolNames(tool: Json): string[] {
  if (tool['type'] === 'namespace') return objectsOf(tool['tools']).flatMap(toolNames);
  return [textOf(tool['name']) || textOf(tool['type'])];
}

function render(answer: Answer, { model }: Conversation, body: Json): Rendered {
  const item = 'text' in answer ? messageOf(answer.text) : callOf(answer.call, body);
  const input = spent.input + spent.cacheRead;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: spent.cacheRead },
    output_tokens: spent.output,
    output_tokens_details: { reasoning_tokens: spent.reasoning },
    total_tokens: input + spent.output,
  };
  const base = { id: newId('resp'), object: 'response', created_at: 0, model, error: null, incomplete_details: null };
  const begun = { ...base, status: 'in_progress', output: [], usage: null };
  const whole = { ...base, status: 'completed', output: [item], usage };
  const events = [
    event('response.created', { response: begun }),
    event('response.output_item.added', { output_index: 0, item: { ...item, ...emptyOf(item) } }),
    ...('text' in answer ? textEvents(answer.text, item) : []),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: whole }),
  ];
  return { whole, events };
}

function messageOf(text: string): Json {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content };
}

function callOf({ name, input, freeform }: ToolCall, body: Json): Json {
  const call = { id: newId('item'), status: 'completed', call_id: newId('call'), name };
  const isCustom = objectsOf(body['tools']).some((tool) => tool['type'] === 'custom' && tool['name'] === name);
  return isCustom
    ? { ...call, type: 'custom_tool_call', input: freeform ?? '' }
    : { ...call, type: 'function_call', arguments: JSON.stringify(input) };
}

function emptyOf(item: Json): Json {
  if (item['type'] === 'message') return { status: 'in_progress', content: [] };
  return { status: 'in_progress', ...(item['type'] === 'function_call' ? { arguments: '' } : { input: '' }) };
}

function textEvents(text: string, item: Json): StreamEvent[] {
  const place = { item_id: item['id'], output_index: 0, content_index: 0 };
  return pieces(text).map((delta) => event('response.output_text.delta', { ...place, delta }));
}

function event(type: string, rest: Json): StreamEvent {
  return { name: type, data: { type, ...rest } };
}
