import { asCount, asInstant, asObject, asObjects, asText, type Json, known } from './json.ts';

/** A provider's error for a request, as far as an agent passes it on. */
export interface ProviderError {
  readonly message: string;
  /** The provider's own codes: types, codes, reasons, names of quotas. */
  readonly codes: readonly string[];
  readonly status?: number;
  /** When it may be tried again, as an instant or as a wait from now. */
  readonly resetAt?: string;
  readonly retryAfterMs?: number;
}

/** Reads an error that agents give as a sentence, as the body of the provider's answer, or as one within the other. */
export function readProviderError(text: string): ProviderError {
  const body = embeddedObject(text);
  const error = asObject(body?.['error']) ?? body;
  const inSentence = { status: statusIn(text), retryAfterMs: retryAfterIn(text) };
  if (error === undefined) return { message: text, codes: [], ...known(inSentence) };
  const reported = asText(error['message']);
  const inner = reported?.trimStart().startsWith('{') ? readProviderError(reported) : undefined;
  return {
    message: inner?.message ?? reported ?? text,
    codes: [...codesOf(error), ...(inner?.codes ?? [])],
    ...known({
      status: asCount(error['code']) ?? inner?.status ?? inSentence.status,
      resetAt: resetIn(error) ?? inner?.resetAt,
      retryAfterMs: waitIn(error) ?? retryDelayOf(error) ?? inner?.retryAfterMs ?? inSentence.retryAfterMs,
    }),
  };
}

/** When the request may be tried again, counted from the instant of the error. */
export function resetOf({ resetAt, retryAfterMs }: ProviderError, reportedAt: Date | undefined): string | undefined {
  if (resetAt !== undefined) return resetAt;
  if (retryAfterMs === undefined || reportedAt === undefined) return undefined;
  return new Date(reportedAt.getTime() + retryAfterMs).toISOString();
}

/** The object that a text holds, however it is wrapped. */
export function embeddedObject(text: string): Json | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (start === -1 || end < start) return undefined;
  try {
    return asObject(JSON.parse(text.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}

function codesOf(error: Json): readonly string[] {
  const details = asObjects(error['details']);
  const quotas = details.flatMap((detail) => asObjects(detail['violations'])).map((violation) => violation['quotaId']);
  const codes = [
    error['type'],
    error['code'],
    error['status'],
    ...details.map((detail) => detail['reason']),
    ...quotas,
  ];
  return codes.flatMap((code) => asText(code) ?? []);
}

function retryDelayOf(error: Json): number | undefined {
  const delay = asObjects(error['details']).flatMap((detail) => asText(detail['retryDelay']) ?? [])[0];
  return delay === undefined ? undefined : retryAfterIn(`retry in ${delay}`);
}

/** Providers report the same fact under different names. */
function resetIn(error: Json): string | undefined {
  const names = ['resets_at', 'resetsAt', 'reset_at', 'resetAt', 'reset_time'];
  return names.map((name) => asInstant(error[name])).find((instant) => instant !== undefined);
}

function waitIn(error: Json): number | undefined {
  const ms = asCount(error['retry_after_ms']);
  const reported = ['resets_in_seconds', 'retry_after', 'retryAfter'].map((name) => seconds(error[name]));
  return ms === undefined ? reported.find((wait) => wait !== undefined) : sane(ms);
}

/** When to try again, according to the headers of an answer. */
export function readHeaders(headers: Json): Pick<ProviderError, 'resetAt' | 'retryAfterMs'> {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const after = values.get('retry-after');
  const ms = Number(asText(values.get('retry-after-ms')) ?? Number(asText(after) ?? Number.NaN) * 1000);
  return known({
    resetAt:
      asInstant(values.get('anthropic-ratelimit-unified-reset')) ?? (Number.isNaN(ms) ? asInstant(after) : undefined),
    retryAfterMs: Number.isFinite(ms) ? sane(ms) : undefined,
  });
}

function statusIn(text: string): number | undefined {
  const status = /\b(?:unexpected|last|with|http) status(?: code)?:? (\d{3})\b/i.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

const maxWaitMs = 32 * 86_400_000;
const waitPattern = /\b(?:try again|retry|resets?)\s+(?:in|after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)/i;
const units: Readonly<Record<string, number>> = { ms: 1, mi: 60_000, m: 60_000, s: 1000, h: 3_600_000, d: 86_400_000 };

/** What "Please retry in 34.07s", "reset after 16h50m17s" or "try again in 1 day 2 hours" means, in milliseconds. */
function retryAfterIn(text: string): number | undefined {
  const reported = waitPattern.exec(text)?.[1];
  if (reported === undefined) return undefined;
  let total = 0;
  for (const [, count, unit = ''] of reported.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const word = unit.toLowerCase().replace('milli', 'ms');
    total += Number(count) * (units[word.slice(0, 2)] ?? units[word.slice(0, 1)] ?? 0);
  }
  return sane(total);
}

function seconds(value: unknown): number | undefined {
  const count = asCount(value);
  return count === undefined ? undefined : sane(count * 1000);
}

function sane(ms: number): number | undefined {
  return ms > 0 && ms <= maxWaitMs ? Math.round(ms) : undefined;
}
