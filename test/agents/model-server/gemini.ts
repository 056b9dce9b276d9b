import { type Conversation, conversationOf, type Turn } from './conversation.ts';
import { type Json, objectsOf, spokenText, textOf } from './json.ts';
import { type Answer, newId, type Protocol, type Rendered } from './protocol.ts';
import { pieces, type Refusal, type Refused, resetInSeconds, spent } from './reply.ts';

/** Google's generateContent. */
export const gemini: Protocol = {
  name: 'gemini',
  matches: (path) => /:(?:generateContent|streamGenerateContent)$/u.test(path),
  aside: (path) => (path.endsWith(':countTokens') ? { totalTokens: spent.input } : undefined),
  read: (body, path) =>
    conversationOf(objectsOf(body['contents']).flatMap(turnsOf), {
      model: /models\/([^:]+):/u.exec(path)?.[1] ?? '',
      stream: path.endsWith(':streamGenerateContent'),
      tools: objectsOf(body['tools'])
        .flatMap((tool) => objectsOf(tool['functionDeclarations']))
        .map((tool) => textOf(tool['name'])),
    }),
  render,
  refuse,
};

function turnsOf({ role, parts }: Json): Turn[] {
  const results = objectsOf(parts).filter((part) => part['functionResponse'] !== undefined).length;
  if (results > 0) return [{ by: 'tool', count: results }];
  return [{ by: role === 'model' ? 'assistant' : 'user', text: spokenText(parts) }];
}

function render(answer: Answer, { model }: Conversation): Rendered {
  const parts =
    'text' in answer
      ? pieces(answer.text).map((text) => ({ text }))
      : [{ functionCall: { name: answer.call.name, args: answer.call.input } }];
  const responseId = newId('response');
  const chunk = (content: readonly Json[], rest: Json, last: Json = {}) => ({
    candidates: [{ content: { role: 'model', parts: content }, index: 0, ...rest }],
    modelVersion: model,
    responseId,
    ...last,
  });
  const input = spent.input + spent.cacheRead;
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: spent.output,
    totalTokenCount: input + spent.output + spent.reasoning,
    cachedContentTokenCount: spent.cacheRead,
    thoughtsTokenCount: spent.reasoning,
  };
  const end = { finishReason: 'STOP' };
  const events = parts.map((part, index) => ({
    data: index === parts.length - 1 ? chunk([part], end, { usageMetadata }) : chunk([part], {}),
  }));
  return { whole: chunk(parts, end, { usageMetadata }), events };
}

function refuse(refusal: Refusal): Refused {
  switch (refusal) {
    case 'auth':
      return refused(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        { '@type': `${google}.ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
      ]);
    case 'rate_limit':
      return refused(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.', quota('PerMinute', 1));
    case 'long_limit':
      return refused(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.', quota('PerMinute', resetInSeconds));
    case 'usage_limit':
      return plan();
    case 'daily_quota':
      return refused(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', quota('PerDay', 60));
    case 'context':
      return refused(400, 'INVALID_ARGUMENT', 'The input token count exceeds the maximum.', []);
    case 'server':
      return refused(500, 'INTERNAL', 'An internal error has occurred.');
  }
}

const google = 'type.googleapis.com/google.rpc';
/** The quota of a signed-in user. With this message, the client itself waits for the reset. */
function plan(): Refused {
  const info = { '@type': `${google}.ErrorInfo`, reason: 'QUOTA_EXHAUSTED', domain: 'cloudcode-pa.googleapis.com' };
  const words = 'You have exhausted your capacity on this model. Your quota will reset after';
  return refused(429, 'RESOURCE_EXHAUSTED', `${words} ${resetInSeconds / 60}m0s.`, [info, retryIn(resetInSeconds)]);
}

function quota(window: string, retrySeconds: number): Json[] {
  const quotaId = `GenerateRequests${window}PerProjectPerModel`;
  const quotaMetric = 'generativelanguage.googleapis.com/generate_content_requests';
  return [
    { '@type': `${google}.QuotaFailure`, violations: [{ quotaMetric, quotaId, quotaValue: '5' }] },
    retryIn(retrySeconds),
  ];
}

function retryIn(seconds: number): Json {
  return { '@type': `${google}.RetryInfo`, retryDelay: `${seconds}s` };
}

function refused(code: number, status: string, message: string, details: readonly Json[] = []): Refused {
  return { status: code, headers: {}, body: { error: { code, message, status, details } } };
}
