import { type Conversation, conversationOf, type Turn } from './conversation.ts';
import { type Json, objectsOf, spokenText, textOf } from './json.ts';
import { type Answer, newId, type Protocol, type Rendered, type StreamEvent } from './protocol.ts';
import { pieces, type Refusal, type Refused, resetInSeconds, resetSecond, spent } from './reply.ts';

/** Anthropic Messages. */
export const anthropic: Protocol = {
  name: 'anthropic',
  matches: (path) => path.endsWith('/messages'),
  aside: (path) => (path.endsWith('/messages/count_tokens') ? { input_tokens: spent.input } : undefined),
  read: (body) =>
    conversationOf(objectsOf(body['messages']).flatMap(turnsOf), {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      tools: objectsOf(body['tools']).map((tool) => textOf(tool['name'])),
    }),
  render,
  refuse,
};

function turnsOf(message: Json): Turn[] {
  const { role, content } = message;
  // The harness also sends system messages between the turns; only the user's count.
  if (role === 'system') return [];
  const results = objectsOf(content).filter((block) => block['type'] === 'tool_result').length;
  if (results > 0) return [{ by: 'tool', count: results }];
  return [{ by: role === 'assistant' ? 'assistant' : 'user', text: spokenText(content) }];
}

function render(answer: Answer, { model }: Conversation): Rendered {
  const block =
    'text' in answer
      ? { type: 'text', text: answer.text }
      : { type: 'tool_use', id: newId('toolu'), name: answer.call.name, input: answer.call.input };
  const stop = { stop_reason: 'text' in answer ? 'end_turn' : 'tool_use', stop_sequence: null };
  const usage = {
    input_tokens: spent.input,
    cache_creation_input_tokens: spent.cacheWrite,
    cache_read_input_tokens: spent.cacheRead,
  };
  const message = { id: newId('msg'), type: 'message', role: 'assistant', model };
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const events: StreamEvent[] = [
    event('message_start', { message: { ...begun, usage: { ...usage, output_tokens: 1 } } }),
    ...blockEvents(answer, block),
    event('message_delta', { delta: stop, usage: { output_tokens: spent.output } }),
    event('message_stop', {}),
  ];
  return { whole: { ...message, content: [block], ...stop, usage: { ...usage, output_tokens: spent.output } }, events };
}

function blockEvents(answer: Answer, block: Json): StreamEvent[] {
  const empty = 'text' in answer ? { ...block, text: '' } : { ...block, input: {} };
  const deltas =
    'text' in answer
      ? pieces(answer.text).map((text) => ({ type: 'text_delta', text }))
      : pieces(JSON.stringify(answer.call.input)).map((json) => ({ type: 'input_json_delta', partial_json: json }));
  return [
    event('content_block_start', { index: 0, content_block: empty }),
    ...deltas.map((delta) => event('content_block_delta', { index: 0, delta })),
    event('content_block_stop', { index: 0 }),
  ];
}

function event(type: string, rest: Json): StreamEvent {
  return { name: type, data: { type, ...rest } };
}

function refuse(refusal: Refusal): Refused {
  switch (refusal) {
    case 'auth':
      return refused(401, 'authentication_error', 'invalid x-api-key');
    case 'rate_limit':
      return refused(429, 'rate_limit_error', 'This request would exceed the rate limit of your organization.', {
        'retry-after': '1',
      });
    case 'long_limit':
      return refused(429, 'rate_limit_error', 'This request would exceed the rate limit of your organization.', {
        'retry-after': String(resetInSeconds),
      });
    case 'daily_quota':
    case 'usage_limit':
      return refused(429, 'rate_limit_error', "This request would exceed your account's rate limit.", planHeaders());
    case 'context':
      return refused(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
    case 'server':
      return refused(500, 'api_error', 'Internal server error');
  }
}

function refused(status: number, type: string, message: string, headers: Record<string, string> = {}): Refused {
  return {
    status,
    headers: { 'request-id': newId('req'), ...headers },
    body: { type: 'error', error: { type, message } },
  };
}

/** The headers for a subscription limit: the five-hour window is used up, the week is not. */
function planHeaders(): Record<string, string> {
  const reset = resetSecond();
  const unified = 'anthropic-ratelimit-unified';
  return {
    'retry-after': String(resetInSeconds),
    'x-should-retry': 'false',
    [`${unified}-status`]: 'rejected',
    [`${unified}-reset`]: String(reset),
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: 'rejected',
    [`${unified}-5h-reset`]: String(reset),
    [`${unified}-5h-utilization`]: '1.0',
    [`${unified}-7d-status`]: 'allowed',
    [`${unified}-7d-reset`]: String(reset + 86_400),
    [`${unified}-7d-utilization`]: '0.4',
    [`${unified}-overage-status`]: 'rejected',
  };
}
