import { setTimeout as pause } from 'node:timers/promises';
import { failures, LoopError } from '../../base/index.ts';
import { type BackupTarget, maxListed } from '../target.ts';
import { errorCodeIn, type Listing, parseListing } from './listing.ts';
import { type Credentials, encodePart, signedHeaders } from './sign.ts';

/** A bucket, and how it is reached. */
export interface S3Settings {
  /** The name of the target, for messages. */
  readonly name: string;
  readonly bucket: string;
  /** What all names begin with; without slashes at its ends. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  /** Whether the bucket is a part of the path instead of the host's name. */
  readonly pathStyle: boolean;
  readonly credentials: Credentials;
  /** How long one request may take. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  /** How long to wait before each further attempt at a request. */
  readonly retryDelaysMs?: readonly number[];
}

const usualDelaysMs: readonly number[] = [500, 2_000, 5_000];
/** Enough for the longest listing, even if some pages are short. */
const maxPages = 10_000;
/** Of answers that are no objects. */
const maxAnswerBytes = 4 * 1024 * 1024;

/** A bucket of a server that speaks S3's protocol and honours conditions on writes. */
export function createS3Target(settings: S3Settings): BackupTarget {
  const { bucket, prefix } = settings;
  const client = new S3Client(settings);
  const keyOf = (name: string) => [prefix, name].filter((part) => part !== '').join('/');
  const below = (folder: string) => {
    const key = keyOf(folder);
    return key === '' ? '' : `${key}/`;
  };
  return {
    where: `s3://${[bucket, prefix].filter((part) => part !== '').join('/')}`,
    create: async (name, bytes, signal) => await client.create(keyOf(name), bytes, signal),
    read: async (name, limit, signal) => await client.read(keyOf(name), limit, signal),
    list: async (folder, after, signal) => {
      const from = below(folder);
      const { keys } = await client.list(from, after === undefined ? undefined : `${from}${after}`, signal);
      return keys.map((key) => key.slice(from.length));
    },
    folders: async (folder, signal) => {
      const from = below(folder);
      const { prefixes } = await client.list(from, undefined, signal);
      return prefixes.map((each) => each.slice(from.length).replace(/\/$/, ''));
    },
    remove: async (name, signal) => await client.remove(keyOf(name), signal),
  };
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The longest answer that is read. */
  readonly limit?: number;
}

interface S3Answer {
  readonly status: number;
  readonly body: Buffer;
}

class S3Client {
  readonly #settings: S3Settings;

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  async create(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
    const headers = { 'content-type': 'application/octet-stream', 'if-none-match': '*' };
    const answer = await this.#send({ method: 'PUT', key, headers, body: bytes }, signal);
    if (answer.status === 412) return false;
    if (answer.status === 200) return true;
    throw this.#refusal(answer);
  }

  async read(key: string, limit: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const answer = await this.#send({ method: 'GET', key, limit }, signal);
    if (answer.status === 200) return answer.body;
    // A missing bucket is a mistake; a missing object is an answer.
    if (answer.status === 404 && errorCodeIn(answer.body.toString()) === 'NoSuchKey') return undefined;
    throw this.#refusal(answer);
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#send({ method: 'DELETE', key }, signal);
    if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404) throw this.#refusal(answer);
  }

  /** All pages of a listing. Names have to rise from page to page, so that one that never ends is noticed. */
  async list(prefix: string, after: string | undefined, signal: AbortSignal): Promise<Listing> {
    const [keys, prefixes] = [[] as string[], [] as string[]];
    let next: string | undefined;
    let [last, pages] = ['', 0];
    do {
      const page = await this.#page({ prefix, after, next }, signal);
      const names = [...page.keys, ...page.prefixes].toSorted();
      if (names.some((name) => !name.startsWith(prefix))) throw this.#failed('its listing contains other names');
      const [first] = names;
      pages += 1;
      if ((first !== undefined && first <= last) || pages > maxPages)
        throw this.#failed('its listing does not advance');
      last = names.at(-1) ?? last;
      keys.push(...page.keys);
      prefixes.push(...page.prefixes);
      if (keys.length + prefixes.length > maxListed) throw this.#failed(`its listing has more than ${maxListed} names`);
      next = page.next;
    } while (next !== undefined);
    return { keys: keys.toSorted(), prefixes: prefixes.toSorted() };
  }

  async #page(
    { prefix, after, next }: { prefix: string; after: string | undefined; next: string | undefined },
    signal: AbortSignal,
  ): Promise<Listing> {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      delimiter: '/',
      prefix,
      ...(after === undefined ? {} : { 'start-after': after }),
      ...(next === undefined ? {} : { 'continuation-token': next }),
    };
    const answer = await this.#send({ method: 'GET', query, limit: maxAnswerBytes }, signal);
    const listing = answer.status === 200 ? parseListing(answer.body.toString()) : undefined;
    if (listing === undefined) throw this.#refusal(answer);
    return listing;
  }

  /** Sends a request until it is answered; a server that is busy or cannot be reached is tried again. */
  async #send(request: S3Request, signal: AbortSignal): Promise<S3Answer> {
    const delays = this.#settings.retryDelaysMs ?? usualDelaysMs;
    for (let attempt = 0; ; attempt += 1) {
      const delayMs = delays[attempt];
      const answer = await this.#sendOnce(request, signal);
      if (typeof answer !== 'string' && !isBusy(answer)) return answer;
      if (delayMs === undefined || signal.aborted)
        throw typeof answer === 'string' ? this.#failed(answer) : this.#refusal(answer);
      await pause(delayMs, undefined, { signal }).catch(() => {});
    }
  }

  async #sendOnce({ method, key = '', query = {}, headers = {}, body, limit }: S3Request, signal: AbortSignal) {
    const { credentials, region, nowMs, timeoutMs } = this.#settings;
    const url = this.#urlOf(key, query);
    const signed = signedHeaders(
      { method, url, headers, body: body ?? new Uint8Array() },
      { credentials, region, nowMs: nowMs() },
    );
    const { host: _, ...sent } = signed;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
        // Following would send the signed request to somebody else.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      const isObject = response.status === 200 && limit !== undefined;
      return { status: response.status, body: await this.#bodyOf(response, isObject ? limit : maxAnswerBytes) };
    } catch (error) {
      if (error instanceof LoopError) throw error;
      if (signal.aborted || timeout.aborted) return 'it did not answer in time';
      return `it cannot be reached (${causeOf(error)})`;
    }
  }

  async #bodyOf(response: Response, limit: number): Promise<Buffer> {
    const tooLong = () => this.#failed(`an answer has more than the expected ${limit} bytes`);
    if (Number(response.headers.get('content-length') ?? 0) > limit) {
      await response.body?.cancel();
      throw tooLong();
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.byteLength;
      if (length > limit) throw tooLong();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  #urlOf(key: string, query: Readonly<Record<string, string>>): URL {
    const { endpoint, bucket, pathStyle } = this.#settings;
    const base = new URL(endpoint);
    const own = base.pathname.replace(/\/$/, '');
    const parts = [...(pathStyle ? [bucket] : []), ...(key === '' ? [] : key.split('/'))].map(encodePart);
    const host = pathStyle ? base.host : `${bucket}.${base.host}`;
    const search = Object.entries(query).map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`);
    return new URL(
      `${base.protocol}//${host}${own}/${parts.join('/')}${search.length === 0 ? '' : `?${search.join('&')}`}`,
    );
  }

  #refusal({ status, body }: S3Answer): LoopError {
    const code = errorCodeIn(body.toString());
    const { bucket } = this.#settings;
    const said = `it answered with HTTP ${status}${code === undefined ? '' : ` (${code})`}`;
    if (status >= 300 && status < 400) return this.#failed(`${said}; set the region or the endpoint of the bucket`);
    if (code === 'RequestTimeTooSkewed') return this.#failed(`${said}; the clock of this machine is wrong`);
    if (code === 'NoSuchBucket') return this.#failed(`${said}; there is no bucket "${bucket}"`);
    if (status === 501) return this.#failed(`${said}; it does not support conditions on writes, which backups need`);
    if (status === 403) return this.#failed(`${said}; check the credentials and what they permit`);
    return this.#failed(said);
  }

  #failed(why: string): LoopError {
    return new LoopError(failures.backupTargetFailed(this.#settings.name, why));
  }
}

function isBusy({ status }: S3Answer): boolean {
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

/** The code alone: messages of the network may contain the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'network error';
}
