import { type Conversation, conversationOf, type Turn } from './conversation.ts';
import { type Json, objectOf, objectsOf, spokenText, textOf } from './json.ts';
import { refuseAsOpenAi } from './openai-refusals.ts';
import { type Answer, newId, type Protocol, type Rendered } from './protocol.ts';
import { pieces, spent } from './reply.ts';

/** OpenAI Chat Completions. */
export const chat: Protocol = {
  name: 'chat',
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) =>
    conversationOf(objectsOf(body['messages']).flatMap(turnsOf), {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      tools: objectsOf(body['tools']).map((tool) => textOf(objectOf(tool['function'])['name'])),
    }),
  render,
  refuse: refuseAsOpenAi,
};

function turnsOf({ role, content }: Json): Turn[] {
  if (role === 'tool') return [{ by: 'tool', count: 1 }];
  if (role !== 'user' && role !== 'assistant') return [];
  return [{ by: role, text: spokenText(content) }];
}

function render(answer: Answer, { model }: Conversation): Rendered {
  const base = { id: newId('chatcmpl'), created: 0, model };
  const chunk = (delta: Json, finish: string | null = null) => ({
    data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] },
  });
  const input = spent.input + spent.cacheRead;
  const usage = {
    prompt_tokens: input,
    completion_tokens: spent.output,
    total_tokens: input + spent.output,
    prompt_tokens_details: { cached_tokens: spent.cacheRead },
    completion_tokens_details: { reasoning_tokens: spent.reasoning },
  };
  const finish = 'text' in answer ? 'stop' : 'tool_calls';
  const { deltas, message } = 'text' in answer ? textParts(answer.text) : callParts(answer.call);
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finish),
    { data: { ...base, object: 'chat.completion.chunk', choices: [], usage } },
    { data: '[DONE]' },
  ];
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
  return { whole: { ...base, object: 'chat.completion', choices, usage }, events };
}

function textParts(text: string): { deltas: Json[]; message: Json } {
  return { deltas: pieces(text).map((content) => ({ content })), message: { content: text } };
}

function callParts({ name, input }: { name: string; input: Json }): { deltas: Json[]; message: Json } {
  const json = JSON.stringify(input);
  const call = { id: newId('call'), type: 'function' };
  const deltas = [
    { tool_calls: [{ index: 0, ...call, function: { name, arguments: '' } }] },
    ...pieces(json).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
  return { deltas, message: { content: null, tool_calls: [{ ...call, function: { name, arguments: json } }] } };
}
