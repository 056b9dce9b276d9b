import { boundText, failures, LoopError, scrub } from '../../base/index.ts';

/** What the server sends with everything. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Answers that contain anything about a loop are in no cache. */
export const notStored = { 'Cache-Control': 'no-store' } as const;

const statuses: Readonly<Record<string, number>> = {
  SESSION_MISSING: 401,
  LINK_EXPIRED: 401,
  HOST_NOT_ALLOWED: 421,
  ORIGIN_NOT_ALLOWED: 403,
  CONTROL_NOT_ALLOWED: 403,
  REQUEST_INVALID: 400,
  REQUEST_TOO_LARGE: 413,
  ADDRESS_UNKNOWN: 404,
  SERVER_BUSY: 503,
  SERVER_FAILED: 500,
  LOOP_NOT_FOUND: 404,
  ITERATION_NOT_FOUND: 404,
  OUTPUT_MISSING: 404,
  NO_LOOPS: 404,
  COMMAND_UNANSWERED: 504,
};

/** The status of an answer that tells of a failure: what ralphd refused is a conflict with the state of things. */
export function statusOf({ failure: { code } }: LoopError): number {
  return statuses[code] ?? 409;
}

const maxTextLength = 2_000;

/** A failure in the form of the API. */
export function errorBody({ failure: { code, message, hint } }: LoopError): string {
  const text = (value: string) => scrub(boundText(value, maxTextLength));
  return JSON.stringify({ error: { code, message: text(message), hint: text(hint) } });
}

/** An error as a failure: what no rule expected is our own fault, and its text stays here. */
export function toFailure(error: unknown): LoopError {
  return error instanceof LoopError ? error : new LoopError(failures.serverFailed(), { cause: error });
}
