import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import { createPlainAnswer } from '../_shared/plain-answer.ts';
import type { ReadError } from '../_shared/read-error.ts';
import type { FinishedRun, StreamDialect } from '../_shared/reader.ts';
import { instantOfUuid, type WallClock } from '../_shared/reset-words.ts';
import { readCodexError, readRetry } from './error.ts';
import { createItemReader } from './item.ts';
import { deniedPatches, readCodexStderr } from './stderr.ts';

/** Where and when Codex runs; needed only to know when a limit resets. */
export interface CodexDialectOptions {
  /** The current time; without it, the start of the thread is used. */
  readonly now?: () => Date;
  /** The zone of the machine that Codex ran on; this machine's, unless given. */
  readonly timeZone?: string;
}

type Events = readonly AgentEvent[];

/** Reads `codex exec --json`. */
export function createCodexDialect(options: CodexDialectOptions = {}): StreamDialect {
  return new CodexDialect(options);
}

class CodexDialect implements StreamDialect {
  readonly #options: CodexDialectOptions;
  readonly #items = createItemReader();
  readonly #answer = createPlainAnswer();
  #threadStartedAt: Date | undefined;
  #isTurnOpen = false;
  /** Why it retries, until it continues. */
  #retrying: RunResult | undefined;

  constructor(options: CodexDialectOptions) {
    this.#options = options;
  }

  read(value: unknown): Events | undefined {
    const event = asObject(value) ?? {};
    const events = this.#read(event);
    if (events !== undefined) this.#answer.giveUp();
    if (event['type'] !== 'error') this.#retrying = undefined;
    return events;
  }

  commandOutput(value: unknown): readonly string[] {
    const { type, item } = asObject(value) ?? {};
    const { type: kind, aggregated_output: output } = asObject(item) ?? {};
    return type === 'item.completed' && kind === 'command_execution' ? [asText(output) ?? ''] : [];
  }

  readText(line: string): undefined {
    this.#answer.take(line);
  }

  readErrors(stderr: string, ending: Ending): RunResult | undefined {
    if (this.#retrying !== undefined) return this.#retrying;
    const answer = this.#answer.reported(ending);
    return readCodexStderr(stderr, { ending, answer, isTurnOpen: this.#isTurnOpen, clock: this.#clock() });
  }

  atEnd({ stderr }: FinishedRun): Events {
    return deniedPatches(stderr);
  }

  #read(event: Json): Events | undefined {
    switch (event['type']) {
      case 'thread.started':
        return this.#threadStarted(asText(event['thread_id']));
      case 'turn.started':
        this.#isTurnOpen = true;
        return [];
      case 'item.started':
      case 'item.updated':
        return this.#items.started(asObject(event['item']) ?? {});
      case 'item.completed':
        return this.#items.completed(asObject(event['item']) ?? {});
      case 'item.plan.delta':
      case 'request_user_input':
        return [];
      case 'error':
        return this.#error(asText(event['message']) ?? '');
      case 'turn.completed':
        return [
          ...usageOf(asObject(event['usage']) ?? {}),
          ...this.#items.left(),
          { type: 'result', outcome: 'completed' },
        ];
      case 'turn.failed':
        return this.#turnFailed(asText(asObject(event['error'])?.['message']) ?? '');
      default:
        return undefined;
    }
  }

  #threadStarted(id: string | undefined): Events | undefined {
    if (id === undefined) return undefined;
    this.#threadStartedAt = instantOfUuid(id);
    return [{ type: 'session', id }];
  }

  #error(message: string): Events {
    const retry = readRetry(message);
    const error = readCodexError(retry?.why ?? message, this.#clock());
    if (retry === undefined) return [...limitOf(error), { type: 'error', ...reported(error), fatal: true }];
    this.#retrying = error;
    return [{ ...retry, outcome: error.outcome }];
  }

  #turnFailed(message: string): Events {
    const error = readCodexError(message, this.#clock());
    return [...this.#items.left(), ...limitOf(error), { type: 'result', ...reported(error) }];
  }

  #clock(): WallClock {
    const { now, timeZone } = this.#options;
    const zone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { now: now?.() ?? this.#threadStartedAt, zone };
  }
}

function reported({ outcome, message }: ReadError): Pick<ReadError, 'outcome' | 'message'> {
  return { outcome, message };
}

function limitOf({ outcome, resetAt }: ReadError): Events {
  const isLimit = outcome === 'usage_limited' || outcome === 'rate_limited';
  return isLimit ? [{ type: 'limit', rejected: true, ...known({ resetAt }) }] : [];
}

/** The sums of the whole thread. A turn that used nothing was not measured. */
function usageOf(usage: Json): readonly AgentEvent[] {
  const input = asCount(usage['input_tokens']);
  const cached = asCount(usage['cached_input_tokens']);
  const output = asCount(usage['output_tokens']);
  if ((input ?? 0) + (output ?? 0) === 0) return [];
  const tokens = known({
    inputTokens: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
    outputTokens: output,
    cacheReadTokens: cached,
    cacheWriteTokens: asCount(usage['cache_write_input_tokens']),
  });
  return [{ type: 'usage', usage: tokens, scope: { of: 'session' } }];
}
