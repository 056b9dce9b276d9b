import type { AgentOutcome, Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { asObject, asText, type Json, known } from '../_shared/json.ts';
import type { StreamDialect } from '../_shared/reader.ts';
import { refusalToStart } from '../_shared/refusal.ts';
import { instantOfUuid, type WallClock } from '../_shared/reset-words.ts';
import { readAcpError } from './error.ts';
import { isOfSubagent, modelIn, toolDetail, toolName } from './fields.ts';
import { modelOfTurn, readTurnUsage, readUsageUpdate } from './spent.ts';

/** When and where an agent runs; needed only to know when a limit resets. */
export interface AcpDialectOptions {
  /** The current time; without it, the start of the session, where its id reveals that. */
  readonly now?: () => Date;
  /** The zone of the machine that the agent ran on; this machine's, unless given. */
  readonly timeZone?: string;
}

type Events = readonly AgentEvent[];

const ofStopReason: ReadonlyMap<string, AgentOutcome> = new Map([
  ['end_turn', 'completed'],
  ['cancelled', 'interrupted'],
  ['max_tokens', 'output_limit'],
  ['refusal', 'refused'],
  ['max_turn_requests', 'turn_limit'],
]);

const unremarkable = new Set([
  'agent_thought_chunk',
  'available_commands_update',
  'current_mode_update',
  'plan',
  'session_info_update',
]);

/** Requests and notices that an agent may send its client besides updates; methods that begin with `_` are its own. */
const askings = /^(?:_|\$\/|(?:session|fs|terminal|elicitation|mcp)\/)/;
const unknownMethod = -32_601;
/** Names that leave the choice of the model to the agent. */
const anyModel = new Set(['default', 'auto']);

/** Reads the agent's side of the Agent Client Protocol: the lines that it prints, without those of its client. */
export function createAcpDialect(options: AcpDialectOptions = {}): StreamDialect {
  return new AcpDialect(options);
}

class AcpDialect implements StreamDialect {
  readonly #options: AcpDialectOptions;
  /** The tools at work, by the ids of their calls, and whether it is known what each call is about. */
  readonly #tools = new Map<string, boolean>();
  #hasSpoken = false;
  #agent: string | undefined;
  #session: string | undefined;
  #model: string | undefined;
  /** Messages are separated by what comes between them; only some agents give them ids too. */
  #messages = 0;
  #messageId: string | undefined;
  /** Whether the session's own request was answered. */
  #isOpen = false;
  /** Whether it repeats earlier messages, as a loaded session does. */
  #isReplay = false;
  #hasUsedTools = false;

  constructor(options: AcpDialectOptions) {
    this.#options = options;
  }

  read(value: unknown): Events | undefined {
    const message = asObject(value) ?? {};
    const events = this.#read(message);
    if (events !== undefined) this.#hasSpoken = true;
    return events;
  }

  readErrors(stderr: string, ending: Ending): RunResult | undefined {
    if (this.#hasSpoken || ending.kind !== 'exited') return undefined;
    const refusal = refusalToStart(stderr);
    return refusal === undefined ? undefined : { outcome: 'configuration', message: refusal };
  }

  #read(message: Json): Events | undefined {
    const method = asText(message['method']);
    if (method === 'session/update') return this.#updated(asObject(message['params']) ?? {});
    if (method === 'session/request_permission') return this.#asked(asObject(message['params']) ?? {});
    if (method !== undefined) return askings.test(method) ? [] : undefined;
    if (!('id' in message)) return undefined;
    const error = asObject(message['error']);
    if (error !== undefined) return this.#failed(error);
    return 'result' in message ? this.#answered(asObject(message['result']) ?? {}) : undefined;
  }

  /** Only its content shows which request an answer belongs to. */
  #answered(result: Json): Events {
    if ('protocolVersion' in result) {
      this.#agent = asText(asObject(result['agentInfo'])?.['name']);
      return [];
    }
    const reason = asText(result['stopReason']);
    if (reason !== undefined) return this.#ended(reason, result);
    const id = asText(result['sessionId']);
    if (id !== undefined) this.#isOpen = true;
    return [...this.#replayed(), ...(id === undefined ? [] : this.#sessionIs(id)), ...this.#modelIs(modelIn(result))];
  }

  #ended(reason: string, result: Json): Events {
    const outcome = ofStopReason.get(reason);
    // OpenCode's numbers are those of its last request alone: after a tool there was more than one.
    const isPartial = this.#agent === 'OpenCode' && this.#hasUsedTools;
    return [
      ...(isPartial ? [] : readTurnUsage(result)),
      ...this.#modelIs(modelOfTurn(result)),
      { type: 'result', outcome: outcome ?? 'unknown', ...(outcome === undefined ? { message: reason } : {}) },
    ];
  }

  #failed(error: Json): Events {
    const { outcome, message, resetAt } = readAcpError(error, this.#clock());
    const isLimit = outcome === 'usage_limited' || outcome === 'rate_limited';
    // An agent with an open session knows the methods that matter: only an extra one failed.
    const fatal = error['code'] !== unknownMethod || this.#session === undefined;
    return [
      ...(isLimit ? [{ type: 'limit', rejected: true, ...known({ resetAt }) } as const] : []),
      { type: 'error', outcome, message, fatal },
    ];
  }

  #updated(params: Json): Events | undefined {
    const update = asObject(params['update']) ?? {};
    const id = asText(params['sessionId']);
    const opened = this.#session === undefined && id !== undefined ? this.#sessionIs(id) : [];
    // A different session belongs to a subagent.
    const events = id === undefined || id === this.#session ? this.#update(update) : [];
    return opened.length === 0 || events === undefined ? events : [...opened, ...events];
  }

  #update(update: Json): Events | undefined {
    const type = asText(update['sessionUpdate']) ?? '';
    switch (type) {
      case 'agent_message_chunk':
        return this.#text(update);
      case 'user_message_chunk':
        this.#isReplay = !this.#isOpen;
        this.#messages += 1;
        return [];
      case 'tool_call':
      case 'tool_call_update':
        return this.#tool(update, type === 'tool_call');
      case 'usage_update':
        return readUsageUpdate(update);
      case 'config_option_update':
        return this.#modelIs(modelIn(update));
      default:
        return unremarkable.has(type) ? [] : undefined;
    }
  }

  #text(update: Json): Events {
    const content = asObject(update['content']) ?? {};
    const text = content['type'] === 'text' ? asText(content['text']) : undefined;
    if (text === undefined || isOfSubagent(update)) return [];
    const id = asText(update['messageId']);
    if (id !== this.#messageId) this.#messages += 1;
    this.#messageId = id;
    return [{ type: 'text', message: `${this.#messages}`, text, append: true }];
  }

  /** What comes between the tool's call and its end is for people. Gemini reports only the end. */
  #tool(update: Json, isCall: boolean): Events {
    const id = asText(update['toolCallId']) ?? '';
    const status = update['status'];
    const isNew = !this.#tools.has(id) && (isCall || status !== undefined);
    const isOver = status === 'completed' || status === 'failed';
    const detail = toolDetail(update);
    const isUse = isNew || (detail !== undefined && this.#tools.get(id) === false);
    if (isUse) this.#tools.set(id, detail !== undefined);
    if (isNew) {
      this.#hasUsedTools = true;
      if (!isOfSubagent(update)) this.#messages += 1;
    }
    if (isOver) this.#tools.delete(id);
    return [
      ...(isUse ? [{ type: 'tool_use', id, name: toolName(update), ...known({ detail }) } as const] : []),
      ...(isOver ? [{ type: 'tool_result', id, ok: status === 'completed' } as const] : []),
    ];
  }

  /** Only the client's answer, which is not part of the stream, would make it a denial. */
  #asked(params: Json): Events {
    const call = asObject(params['toolCall']);
    return call === undefined ? [] : this.#tool(call, true);
  }

  /** An old claim that was only repeated must not count as the last message. */
  #replayed(): Events {
    if (!this.#isReplay) return [];
    this.#isReplay = false;
    this.#isOpen = true;
    this.#messages += 1;
    this.#hasUsedTools = false;
    return [{ type: 'text', message: `${this.#messages}`, text: '', append: true }];
  }

  #sessionIs(id: string): Events {
    if (id === this.#session) return [];
    this.#session = id;
    return [{ type: 'session', id }];
  }

  #modelIs(model: string | undefined): Events {
    if (model === undefined || model === this.#model || anyModel.has(model)) return [];
    this.#model = model;
    return [{ type: 'model', model }];
  }

  #clock(): WallClock {
    const { now, timeZone } = this.#options;
    const zone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { now: now?.() ?? instantOfUuid(this.#session ?? ''), zone };
  }
}
