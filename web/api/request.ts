import { sessionHeaders } from './session.ts';

/** A request that the server refused, or that did not reach it. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(status: number, { code, message, hint }: { code: string; message: string; hint: string }) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }

  /** The link was used up or has expired. */
  get isExpired(): boolean {
    return this.status === 401;
  }
}

/** Asks the server for something. */
export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await read(await send(path, signal === undefined ? {} : { signal }))) as Answer;
}

/** Asks the server to do something. */
export async function order<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return (await read(await send(path, { method: 'POST', headers, body: JSON.stringify(body) }))) as Answer;
}

/** What to show of a failed request. */
export function failureText(error: unknown): string {
  if (error instanceof RequestError) return [error.message, error.hint].filter((text) => text !== '').join(' ');
  return error instanceof Error ? error.message : String(error);
}

interface Sent extends Pick<RequestInit, 'method' | 'body' | 'signal'> {
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(path: string, init: Sent): Promise<Response> {
  try {
    const headers = { ...sessionHeaders(), ...init.headers };
    return await fetch(path, { ...init, headers, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    const message = 'The server does not answer.';
    throw new RequestError(0, { code: 'NO_ANSWER', message, hint: 'The loops are not affected.' });
  }
}

async function read(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  throw new RequestError(response.status, refusalIn(body, response.status));
}

function refusalIn(body: unknown, status: number): { code: string; message: string; hint: string } {
  const error: unknown = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return { code: `HTTP_${status}`, message: `The server answers with ${status}.`, hint: '' };
  const text = (name: string) => (typeof error[name] === 'string' ? error[name] : '');
  return { code: text('code'), message: text('message'), hint: text('hint') };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
