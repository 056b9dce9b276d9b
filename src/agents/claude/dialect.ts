import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import { outcomeOfError } from '../_shared/error-outcome.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { asCount, asInstant, asObject, asObjects, asText, type Json, known } from '../_shared/json.ts';
import { readProviderError, resetOf } from '../_shared/provider-error.ts';
import type { StreamDialect } from '../_shared/reader.ts';
import { resetInNamedZone } from '../_shared/reset-words.ts';
import { createMessages, isOfSubagent } from './messages.ts';
import { messageOf, outcomeOfFailure, outcomeOfResult, type Trouble } from './outcome.ts';
import { isSignal, readPlain } from './plain.ts';
import { spentOf, windowOf } from './spent.ts';
import { createTasks } from './tasks.ts';

/** What the reader needs to know. */
export interface ClaudeDialectOptions {
  /** A limit's reset may be given as a time of day only. */
  readonly now: () => Date;
}

type Events = readonly AgentEvent[];

const maxPlainTextLength = 64 * 1024;
const unremarkable = new Set([
  'compact_boundary',
  'files_persisted',
  'hook_progress',
  'hook_response',
  'hook_started',
  'informational',
  'local_command_output',
  'notification',
  'session_state_changed',
  'status',
  'task_progress',
  'ui_invalidate',
]);

/** Reads what Claude Code prints: `stream-json`, `json`, and as far as can be known its plain text. */
export function createClaudeDialect(options: ClaudeDialectOptions): StreamDialect {
  return new ClaudeDialect(options);
}

const maxCommands = 100;

function commandIn(input: unknown): string | undefined {
  return asText(asObject(input)?.['command']);
}

class ClaudeDialect implements StreamDialect {
  readonly showsRequests = true;
  readonly #now: () => Date;
  readonly #messages = createMessages();
  readonly #tasks = createTasks();
  readonly #denied = new Set<string>();
  /** The newest shell commands by the id of their call: a denial does not repeat them. */
  readonly #commands = new Map<string, string>();
  #hasSpoken = false;
  #plainText = '';
  #trouble: Trouble = {};
  #retrying: RunResult | undefined;

  constructor({ now }: ClaudeDialectOptions) {
    this.#now = now;
  }

  read(value: unknown): Events | undefined {
    // With `json --verbose` all events come in one list.
    if (!Array.isArray(value)) return this.#read(asObject(value) ?? {});
    const all = asObjects(value).map((event) => this.#read(event));
    return all.some((events) => events !== undefined) ? all.flatMap((events) => events ?? []) : undefined;
  }

  commandOutput(value: unknown): readonly string[] {
    const events = Array.isArray(value) ? asObjects(value) : [asObject(value) ?? {}];
    return events
      .filter(({ type }) => type === 'user')
      .flatMap((event) => asObjects(asObject(event['message'])?.['content']))
      .filter(({ type, tool_use_id: id }) => type === 'tool_result' && this.#commands.has(asText(id) ?? ''))
      .map(({ content }) => asText(content) ?? textsIn(content));
  }

  readText(line: string): undefined {
    if (!this.#hasSpoken) this.#plainText = `${this.#plainText}${line}\n`.slice(-maxPlainTextLength);
  }

  readErrors(stderr: string, ending: Ending): RunResult | undefined {
    if (this.#hasSpoken) return this.#retrying ?? (wasStopped(ending) ? { outcome: 'interrupted' } : undefined);
    const reported = readPlain(this.#plainText.trim(), stderr, ending);
    if (reported?.outcome !== 'usage_limited') return reported;
    return { ...reported, ...known({ resetAt: resetInNamedZone(reported.message ?? '', this.#now()) }) };
  }

  #read(event: Json): Events | undefined {
    const events = this.#event(event);
    if (events !== undefined) this.#hasSpoken = true;
    return events;
  }

  #event(event: Json): Events | undefined {
    switch (event['type']) {
      case 'system':
        return this.#system(event);
      case 'assistant':
        return this.#assistant(event);
      case 'user':
        return this.#user(event);
      case 'stream_event':
        return this.#messages.piece(event);
      case 'rate_limit_event':
        return this.#limit(asObject(event['rate_limit_info']) ?? {});
      case 'result':
        return this.#result(event);
      case 'error':
        return this.#error(event);
      case 'control_request':
      case 'control_response':
      case 'keep_alive':
      case 'tool_progress':
        return [];
      default:
        return undefined;
    }
  }

  #system(event: Json): Events | undefined {
    switch (event['subtype']) {
      case 'init':
        return [...sessionOf(event), ...this.#messages.modelIs(asText(event['model']))];
      case 'api_retry':
        return this.#retry(event);
      case 'permission_denied':
        return this.#deny(event);
      case 'model_fallback':
        return this.#messages.modelIs(asText(event['fallback_model']));
      case 'model_refusal_no_fallback':
        this.#trouble = { ...this.#trouble, refused: true };
        return [];
      case 'background_tasks_changed':
        return this.#tasks.only(event['tasks']);
      case 'task_started':
        return event['is_backgrounded'] === true ? this.#tasks.started(event['task_id']) : [];
      case 'task_notification':
        return this.#tasks.ended(event['task_id']);
      case 'task_updated':
        return this.#tasks.updated(event);
      default:
        return unremarkable.has(asText(event['subtype']) ?? '') ? [] : undefined;
    }
  }

  #retry(event: Json): Events {
    const status = asCount(event['error_status']);
    const why = [asText(event['error']) ?? 'unknown', ...(status === undefined ? [] : [`(${status})`])].join(' ');
    const outcome = outcomeOfFailure(event, this.#trouble);
    this.#retrying = outcome === undefined ? undefined : { outcome, message: why };
    const times = { attempt: asCount(event['attempt']), delayMs: asCount(event['retry_delay_ms']) };
    return [
      { type: 'request', id: '' },
      { type: 'retry', ...known({ ...times, outcome }), why },
    ];
  }

  #deny(event: Json): Events {
    const id = asText(event['tool_use_id']);
    if (id !== undefined && this.#denied.has(id)) return [];
    if (id !== undefined) this.#denied.add(id);
    const command = this.#commands.get(id ?? '') ?? commandIn(event['tool_input']);
    return [{ type: 'permission_denied', tool: asText(event['tool_name']) ?? '', ...known({ command }) }];
  }

  #limit(info: Json): Events {
    const rejected = info['status'] === 'rejected' && info['isUsingOverage'] !== true;
    if (rejected) this.#trouble = { ...this.#trouble, planLimit: true };
    return [{ type: 'limit', rejected, ...known({ resetAt: asInstant(info['resetsAt']) }) }];
  }

  #assistant(event: Json): Events {
    const message = asObject(event['message']) ?? {};
    if (asText(event['error']) !== undefined || event['is_api_error_message'] === true) return this.#failure(event);
    if (message['model'] === '<synthetic>') return [];
    if (!isOfSubagent(event)) this.#trouble = {};
    this.#retrying = undefined;
    for (const block of asObjects(message['content'])) this.#keepCommand(block);
    return [{ type: 'request', id: asText(message['id']) ?? '' }, ...this.#messages.block(event)];
  }

  #keepCommand(block: Json): void {
    const [id, command] = [asText(block['id']), commandIn(block['input'])];
    if (id === undefined || command === undefined) return;
    this.#commands.set(id, command);
    const [oldest] = this.#commands.size > maxCommands ? this.#commands.keys() : [];
    if (oldest !== undefined) this.#commands.delete(oldest);
  }

  /** An error that Claude Code prints as a message of the assistant. */
  #failure(event: Json): Events {
    const fatal = !isOfSubagent(event);
    const content = asObjects(asObject(event['message'])?.['content']);
    const message = content.flatMap((block) => asText(block['text']) ?? []).join('\n');
    if (fatal) this.#trouble = { ...this.#trouble, ...known({ kind: asText(event['error']) }) };
    const outcome = outcomeOfFailure({ ...event, result: message }, fatal ? this.#trouble : {}) ?? 'unknown';
    return [{ type: 'error', outcome, message, fatal }];
  }

  /** The provider's own error, where it is passed on unchanged. */
  #error(event: Json): Events {
    const error = readProviderError(JSON.stringify(event));
    const outcome = outcomeOfError(error) ?? 'unknown';
    const resetAt = resetOf(error, this.#now());
    const isLimit = outcome === 'rate_limited' || outcome === 'usage_limited';
    return [
      ...(isLimit ? [{ type: 'limit', rejected: true, ...known({ resetAt }) } as const] : []),
      { type: 'error', outcome, message: error.message, fatal: true },
    ];
  }

  #user(event: Json): Events {
    const content = asObjects(asObject(event['message'])?.['content']);
    return [
      ...this.#tasks.started(asObject(event['tool_use_result'])?.['backgroundTaskId']),
      ...content.filter(({ type }) => type === 'tool_result').map(toolResult),
    ];
  }

  #result(event: Json): Events {
    const outcome = outcomeOfResult(event, this.#trouble);
    const message = messageOf(event);
    const size = windowOf(event, this.#messages.model);
    const needsReset = outcome === 'usage_limited' && !this.#trouble.planLimit;
    const resetAt = needsReset ? resetInNamedZone(message, this.#now()) : undefined;
    return [
      ...sessionOf(event),
      ...asObjects(event['permission_denials']).flatMap((denial) => this.#deny(denial)),
      ...spentOf(event, this.#messages.seenContext),
      ...(size === undefined ? [] : [{ type: 'context', size } as const]),
      ...(resetAt === undefined ? [] : [{ type: 'limit', rejected: true, resetAt } as const]),
      outcome === 'completed'
        ? { type: 'result', outcome, text: message }
        : { type: 'result', outcome, ...known({ message: asText(message) }) },
    ];
  }
}

function sessionOf(event: Json): Events {
  const id = asText(event['session_id']);
  return id === undefined ? [] : [{ type: 'session', id }];
}

function toolResult(block: Json): AgentEvent {
  return { type: 'tool_result', id: asText(block['tool_use_id']) ?? '', ok: block['is_error'] !== true };
}

function textsIn(content: unknown): string {
  return asObjects(content)
    .flatMap(({ text }) => asText(text) ?? [])
    .join('\n');
}

/** On an interrupt Claude Code exits with 0 and without a result. */
function wasStopped(ending: Ending): boolean {
  return ending.kind === 'exited' && (ending.code === 0 || isSignal(ending.code));
}
