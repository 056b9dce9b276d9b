import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import type { StreamDialect } from '../_shared/reader.ts';
import { refusalToStart } from '../_shared/refusal.ts';
import { detailOf } from '../_shared/tool-detail.ts';
import { readFailure, readSessionError } from './failure.ts';

type Events = readonly AgentEvent[];

const maxPlainTextLength = 64 * 1024;
const unremarkable =
  /^(?:session|user|system|assistant|model|tool|subagent|agent|hook|skill|permission|elicitation|external_tool)\.\w+$/;

/** Reads what Copilot CLI prints: its events with `--output-format json`, and as far as can be known its plain text. */
export function createCopilotDialect(): StreamDialect {
  return new CopilotDialect();
}

class CopilotDialect implements StreamDialect {
  /** The tools at work, by the ids of their calls. */
  readonly #tools = new Map<string, string>();
  #hasSpoken = false;
  #plainText = '';
  #model: string | undefined;
  #wasAborted = false;
  /** What went wrong with the last request, until one is answered. */
  #failure: RunResult | undefined;
  #error: RunResult | undefined;

  read(value: unknown): Events | undefined {
    const event = asObject(value) ?? {};
    const type = asText(event['type']) ?? '';
    const events = this.#event(type, event) ?? (unremarkable.test(type) ? [] : undefined);
    if (events !== undefined) this.#hasSpoken = true;
    return events;
  }

  readText(line: string): undefined {
    if (!this.#hasSpoken) this.#plainText = `${this.#plainText}${line}\n`.slice(-maxPlainTextLength);
  }

  readErrors(stderr: string, ending: Ending): RunResult | undefined {
    if (this.#wasAborted) return { outcome: 'interrupted' };
    if (this.#hasSpoken) return this.#error ?? this.#failure;
    if (ending.kind !== 'exited') return undefined;
    const answer = this.#plainText.trim();
    if (ending.code === 0) return answer === '' ? undefined : { outcome: 'completed', text: answer };
    const refusal = answer === '' ? refusalToStart(stderr) : undefined;
    return refusal === undefined ? undefined : { outcome: 'configuration', message: refusal };
  }

  #event(type: string, event: Json): Events | undefined {
    const data = asObject(event['data']) ?? {};
    switch (type) {
      case 'model.call_start':
        return this.#modelIs(asText(data['model']));
      case 'assistant.message_delta':
        return text(event, data, { text: asText(data['deltaContent']), append: true });
      case 'assistant.message':
        this.#failure = undefined;
        this.#error = undefined;
        return text(event, data, { text: asText(data['content']) ?? '', append: false });
      case 'tool.execution_start':
        return this.#toolUse(asText(data['toolCallId']) ?? '', data);
      case 'tool.execution_complete':
        return this.#toolResult(asText(data['toolCallId']) ?? '', data);
      case 'model.call_failure':
        return this.#failed(data);
      case 'assistant.turn_retry':
        return [
          { type: 'retry', why: asText(data['reason']) ?? 'unknown', ...known({ outcome: this.#failure?.outcome }) },
        ];
      case 'session.error':
        this.#error = readSessionError(data, this.#failure);
        return [{ type: 'error', outcome: this.#error.outcome, message: this.#error.message ?? '', fatal: true }];
      case 'session.usage_info':
        return context(data['currentTokens'], data['tokenLimit']);
      case 'abort':
        this.#wasAborted = true;
        return [];
      case 'assistant.idle':
        this.#wasAborted ||= data['aborted'] === true;
        return [];
      case 'result':
        return this.#result(event);
      default:
        return undefined;
    }
  }

  #modelIs(model: string | undefined): Events {
    if (model === undefined || model === this.#model) return [];
    this.#model = model;
    return [{ type: 'model', model }];
  }

  #toolUse(id: string, data: Json): Events {
    const name = asText(data['toolName']) ?? '';
    this.#tools.set(id, name);
    return [{ type: 'tool_use', id, name, ...known({ detail: detailOf(data['arguments']) }) }];
  }

  #toolResult(id: string, data: Json): Events {
    const tool = this.#tools.get(id) ?? '';
    this.#tools.delete(id);
    const metrics = asObject(asObject(data['toolTelemetry'])?.['metrics']) ?? {};
    const isDenied = asObject(data['error'])?.['code'] === 'denied';
    return [
      { type: 'tool_result', id, ok: data['success'] === true },
      ...(isDenied ? [{ type: 'permission_denied', tool } as const] : []),
      ...context(metrics['context_current_tokens'], metrics['context_token_limit']),
    ];
  }

  #failed(data: Json): Events {
    const { resetAt, ...reported } = readFailure(data);
    this.#failure = reported;
    return [
      ...(resetAt === undefined ? [] : [{ type: 'limit', rejected: true, resetAt } as const]),
      { type: 'error', outcome: reported.outcome, message: reported.message ?? '', fatal: false },
    ];
  }

  /** The exit code in the result is 0 for an aborted run too. */
  #result(event: Json): Events {
    const id = asText(event['sessionId']);
    const reported = this.#error ?? (event['exitCode'] === 0 ? { outcome: 'completed' as const } : this.#failure);
    const last: RunResult = this.#wasAborted ? { outcome: 'interrupted' } : (reported ?? { outcome: 'unknown' });
    return [
      ...(id === undefined ? [] : [{ type: 'session', id } as const]),
      { type: 'result', outcome: last.outcome, ...known({ message: last.message }) },
    ];
  }
}

/** A subagent's text is not the assistant's own. */
function text(
  event: Json,
  data: Json,
  reported: { readonly text: string | undefined; readonly append: boolean },
): Events {
  const isOfSubagent = [event['agentId'], data['parentToolCallId']].some((id) => asText(id) !== undefined);
  if (isOfSubagent || reported.text === undefined) return [];
  return [{ type: 'text', message: asText(data['messageId']) ?? '', text: reported.text, append: reported.append }];
}

function context(used: unknown, size: unknown): Events {
  const counts = known({ used: asCount(used), size: asCount(size) });
  return Object.keys(counts).length === 0 ? [] : [{ type: 'context', ...counts }];
}
