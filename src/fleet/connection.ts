import { Pool } from 'pg';
import { failures, LoopError } from '../base/index.ts';
import type { FleetAddress } from './address.ts';

/** What a statement is given. */
export type Value = string | number | boolean | null | readonly string[];

/** How long to go on when the database does not answer. */
export interface Patience {
  /** Ends the attempts, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Gives up after this long; never, if left out. */
  readonly patienceMs?: number | undefined;
}

/** Connections to the database of a fleet. */
export interface Connection extends AsyncDisposable {
  /**
   * Runs one statement, again and again while the database does not answer: it must be harmless to run it twice. Every
   * statement stands alone, so that a frozen process holds no lock and a pooler may stand in between.
   */
  query<Row extends object>(text: string, values: readonly Value[], patience?: Patience): Promise<readonly Row[]>;
}

/** How connections behave. */
export interface ConnectionOptions {
  /** How many statements may be under way at once. */
  readonly connections?: number;
  /** How long one statement may take before its connection is given up. */
  readonly statementMs?: number;
}

/** Connects when the first statement needs it. */
export function connect(
  { url, place }: FleetAddress,
  { connections = 4, statementMs = 10_000 }: ConnectionOptions = {},
): Connection {
  const pool = new Pool({
    connectionString: url,
    application_name: 'ralphd',
    max: connections,
    connectionTimeoutMillis: 3_000,
    query_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it: the next statement opens another one.
  pool.on('error', () => {});
  return {
    async query<Row extends object>(text: string, values: readonly Value[], { signal, patienceMs }: Patience = {}) {
      const startedAt = performance.now();
      for (let attempt = 0; ; attempt += 1) {
        signal?.throwIfAborted();
        try {
          return (await pool.query<Row>(text, [...values])).rows;
        } catch (error) {
          if (!mayPass(error)) throw refusal(error, place);
          const isOver = patienceMs !== undefined && performance.now() - startedAt > patienceMs;
          if (isOver) throw noConnection(error, place);
          await pause(delayMs(attempt), signal);
        }
      }
    },
    [Symbol.asyncDispose]: async () => await pool.end().catch(() => {}),
  };
}

// Connection exceptions, too many connections, shutdown, start-up, lost races between transactions.
const passing = /^(08|53|57P|40|55P03)/;

/** Whether the same statement may succeed later. */
function mayPass(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return true;
  // A code of the operating system, such as ECONNREFUSED.
  return passing.test(code) || !/^[0-9A-Z]{5}$/.test(code);
}

function refusal(error: unknown, place: string): unknown {
  const code = codeOf(error);
  // No such schema, function or table; no right to use it; no such database; no such user or a wrong password.
  if (code === '3F000' || code === '42883' || code === '42P01' || code === '42501') {
    return new LoopError(failures.fleetNotPrepared(place), { cause: error });
  }
  return code === '3D000' || code?.startsWith('28') === true ? noConnection(error, place) : error;
}

/** Why there is no connection to a database. */
export function noConnection(error: unknown, place: string): LoopError {
  const why = reasonOf(error);
  const code = codeOf(error) ?? '';
  const failure = code.startsWith('28')
    ? failures.fleetLoginRefused(place, why)
    : /\b(ssl|tls|certificate)\b|_CERT/i.test(`${code} ${why}`)
      ? failures.fleetTls(place, why)
      : failures.fleetUnreachable(place, why);
  return new LoopError(failure, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** What went wrong, as a clause. */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  return first instanceof Error && first.message !== '' ? first.message : (codeOf(error) ?? String(first));
}

const shortestMs = 50;
const longestMs = 1_000;

function delayMs(attempt: number): number {
  return Math.min(longestMs, shortestMs * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
