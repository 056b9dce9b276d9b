import type { AgentEvent } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import { createPlainAnswer } from '../_shared/plain-answer.ts';
import type { FinishedRun, StreamDialect } from '../_shared/reader.ts';
import { readOpenCodeError } from './error.ts';
import { type LastEvent, resultAtEnd } from './result-at-end.ts';
import { spentBy } from './spent.ts';
import { readTool } from './tool.ts';

type Events = readonly AgentEvent[];

/** Reads `opencode run --format json`, whose stream has no result event: it just ends. */
export function createOpenCodeDialect(): StreamDialect {
  return new OpenCodeDialect();
}

class OpenCodeDialect implements StreamDialect {
  readonly showsRequests = true;
  readonly #answer = createPlainAnswer();
  /** The parts of the message that is being written. */
  readonly #texts = new Map<string, string>();
  #message = '';
  #session: string | undefined;
  #attempt = 0;
  #denied: string | undefined;
  #last: LastEvent = { type: 'nothing' };
  #lastAt: Date | undefined;

  read(value: unknown): Events | undefined {
    const event = asObject(value) ?? {};
    const events = this.#read(event);
    if (events === undefined) return undefined;
    this.#answer.giveUp();
    this.#lastAt = instantOf(event) ?? this.#lastAt;
    const id = asText(event['sessionID']);
    if (this.#session !== undefined || id === undefined) return events;
    this.#session = id;
    return [{ type: 'session', id }, ...events];
  }

  commandOutput(value: unknown): readonly string[] {
    const part = asObject(asObject(value)?.['part']);
    const output = part?.['tool'] === 'bash' ? asText(asObject(part['state'])?.['output']) : undefined;
    return output === undefined ? [] : [output];
  }

  readText(line: string): undefined {
    this.#answer.take(line);
  }

  atEnd(run: FinishedRun): Events {
    const answer = this.#answer.reported(run.ending);
    return resultAtEnd(this.#last, { ...run, answer, denied: this.#denied, lastAt: this.#lastAt });
  }

  #read(event: Json): Events | undefined {
    const part = asObject(event['part']) ?? {};
    // A different session belongs to a subagent.
    if ((asText(part['sessionID']) ?? event['sessionID']) !== event['sessionID'])
      return event['type'] === 'step_start' ? [{ type: 'request', id: '' }] : [];
    switch (event['type']) {
      case 'step_start':
        return this.#stepStarted(asText(part['messageID']) ?? '');
      case 'text':
        return this.#text(part);
      case 'tool_use':
        return this.#tool(part);
      case 'step_finish':
        this.#last = { type: 'finish', reason: asText(part['reason']) ?? 'unknown' };
        return spentBy(part);
      case 'error':
        return this.#error(event);
      case 'reasoning':
      case 'done':
        return [];
      default:
        return undefined;
    }
  }

  /** A step that starts again before it finished is the only sign that its request is retried. */
  #stepStarted(message: string): Events {
    const isAgain = this.#last.type === 'step' && message === this.#message;
    this.#attempt = isAgain ? this.#attempt + 1 : 0;
    this.#last = { type: 'step' };
    if (isAgain || message !== this.#message) this.#texts.clear();
    this.#message = message;
    const again = { type: 'retry', attempt: this.#attempt, why: 'The answer broke off.' } as const;
    return [{ type: 'request', id: '' }, ...(isAgain ? [again] : [])];
  }

  #text(part: Json): Events | undefined {
    const text = part['text'];
    if (typeof text !== 'string') return undefined;
    const message = asText(part['messageID']) ?? '';
    if (message !== this.#message) this.#texts.clear();
    this.#message = message;
    this.#texts.set(asText(part['id']) ?? `${this.#texts.size}`, text);
    this.#last = { type: 'step' };
    return [{ type: 'text', message, text: [...this.#texts.values()].join('\n'), append: false }];
  }

  #tool(part: Json): Events {
    const events = readTool(part);
    if (events.some(({ type }) => type === 'permission_denied')) this.#denied = asText(part['tool']);
    this.#last = { type: 'step' };
    return events;
  }

  #error(event: Json): Events {
    const error = readOpenCodeError(asObject(event['error']) ?? {}, instantOf(event));
    // An error of OpenCode's own server before any model request is a configuration error.
    const isSetUp = error.outcome === 'unknown' && this.#last.type === 'nothing';
    const outcome = isSetUp ? 'configuration' : error.outcome;
    const isLimit = outcome === 'rate_limited' || outcome === 'usage_limited';
    this.#last = { type: 'error' };
    return [
      ...(isLimit ? [{ type: 'limit', rejected: true, ...known({ resetAt: error.resetAt }) } as const] : []),
      { type: 'error', outcome, message: error.message, fatal: true },
    ];
  }
}

function instantOf(event: Json): Date | undefined {
  const epoch = asCount(event['timestamp']);
  return epoch === undefined ? undefined : new Date(epoch);
}
