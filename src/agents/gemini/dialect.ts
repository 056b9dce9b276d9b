import type { AgentEvent } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import { createPlainAnswer } from '../_shared/plain-answer.ts';
import type { ReadError } from '../_shared/read-error.ts';
import type { StreamDialect } from '../_shared/reader.ts';
import { createDocumentReader } from './document.ts';
import { readGeminiError } from './error.ts';
import { readGeminiStderr } from './stderr.ts';
import { createToolReader } from './tool.ts';
import { modelOf, usageOfStream } from './usage.ts';

/** Reads `gemini --output-format stream-json`, and the single document of `--output-format json`. */
export function createGeminiDialect(): StreamDialect {
  const tools = createToolReader();
  const answer = createPlainAnswer();
  const document = createDocumentReader();
  let message = 0;
  let isOpen = false;
  let last: Json = {};
  let lastError: ReadError | undefined;

  const readMessage = (event: Json): readonly AgentEvent[] => {
    const text = event['content'];
    if (event['role'] !== 'assistant' || typeof text !== 'string') {
      message += 1;
      return [];
    }
    return [{ type: 'text', message: `${message}`, text, append: event['delta'] === true }];
  };
  const readError = (event: Json): readonly AgentEvent[] => {
    const error = readGeminiError(undefined, asText(event['message']) ?? '', instantOf(event));
    message += 1;
    if (event['severity'] !== 'warning') lastError = error;
    return [{ type: 'error', outcome: error.outcome, message: error.message, fatal: event['severity'] !== 'warning' }];
  };

  const read = (event: Json): readonly AgentEvent[] | undefined => {
    switch (event['type']) {
      case 'init':
        isOpen = true;
        return [...sessionOf(event), ...namedModel(event)];
      case 'message':
        return readMessage(event);
      case 'tool_use':
        message += 1;
        return tools.used(event);
      case 'tool_result':
        message += 1;
        return tools.answered(event);
      case 'error':
        return readError(event);
      case 'result':
        return readResult(event, lastError);
      default:
        return undefined;
    }
  };

  return {
    read(value) {
      const event = asObject(value) ?? {};
      if (event['timestamp'] !== undefined) last = event;
      const events = read(event);
      if (events !== undefined) answer.giveUp();
      return events;
    },
    commandOutput: (value) => tools.printed(asObject(value) ?? {}),
    readText(line) {
      answer.take(line);
      return document.take(line);
    },
    readErrors: (stderr, ending) =>
      readGeminiStderr(stderr, { ending, isOpen, lastAt: instantOf(last), answer: answer.reported(ending) }),
  };
}

function sessionOf(event: Json): readonly AgentEvent[] {
  const id = asText(event['session_id']);
  return id === undefined ? [] : [{ type: 'session', id }];
}

/** `auto` is not a model: the result names the one that was chosen. */
function namedModel(event: Json): readonly AgentEvent[] {
  const model = asText(event['model']);
  return model === undefined || /^auto\b/.test(model) ? [] : [{ type: 'model', model }];
}

function readResult(event: Json, lastError: ReadError | undefined): readonly AgentEvent[] {
  const stats = asObject(event['stats']) ?? {};
  const failed = event['status'] !== 'success';
  // The tokens of a broken answer are reported as 0, although they are unknown.
  const isMeasured = !failed || (asCount(stats['total_tokens']) ?? 0) > 0;
  const spent = [...modelOf(stats), ...(isMeasured ? usageOfStream(stats) : [])];
  const error = failed ? errorOf(event, lastError) : undefined;
  // The turn limit is reported as an error before a result that claims success.
  const end = error ?? (lastError?.outcome === 'turn_limit' ? lastError : undefined);
  if (end === undefined) return [...spent, { type: 'result', outcome: 'completed' }];
  const { outcome, message, resetAt } = end;
  const isLimit = outcome === 'rate_limited' || outcome === 'usage_limited';
  return [
    ...spent,
    ...(isLimit ? [{ type: 'limit', rejected: true, ...known({ resetAt }) } as const] : []),
    { type: 'result', outcome, message },
  ];
}

function errorOf(event: Json, lastError: ReadError | undefined): ReadError {
  const error = asObject(event['error']);
  const text = asText(error?.['message']);
  if (text !== undefined) return readGeminiError(asText(error?.['type']), text, instantOf(event));
  return lastError ?? { outcome: 'transient', message: 'The answer of the model broke off.' };
}

function instantOf(event: Json): Date | undefined {
  const instant = new Date(asText(event['timestamp']) ?? Number.NaN);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
