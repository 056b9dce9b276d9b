import { failures, LoopError } from '../../base/index.ts';
import { type Operation, type OperationName, operations } from '../../protocol/index.ts';
import type { Exchange } from '../http/requests.ts';
import { readCookies } from './cookie.ts';
import { assertOwnHost, assertOwnSite, type RequestOrigin } from './same-site.ts';
import { isSecret } from './secrets.ts';
import type { Sessions } from './sessions.ts';

/** Decides which requests are answered at all. */
export interface Access {
  /** Refuses a request of the API that may not be made, or not by this client. */
  assertAllowed(name: OperationName, exchange: Exchange): void;
  /** Refuses a request for the page itself, which contains nothing about any loop. */
  assertPage(exchange: Exchange): void;
}

/** What access depends on. */
export interface AccessOptions {
  readonly sessions: Sessions;
  /** The names of this server besides those of every machine for itself. */
  readonly names: ReadonlySet<string>;
  readonly isSecure: boolean;
  readonly allowsControl: boolean;
  /** The digest of the token of scripts, if there is one. */
  readonly tokenDigest?: string | undefined;
}

/** The rules of access. */
export function createAccess(options: AccessOptions): Access {
  const { names, allowsControl } = options;
  return {
    assertAllowed(name, exchange) {
      const { isOpen, isControl }: Operation = operations[name];
      const origin = originOf(exchange);
      assertOwnHost(origin, names);
      assertOwnSite(origin, false);
      if (isOpen !== true && !isKnown(exchange, options)) throw new LoopError(failures.sessionMissing());
      if (isControl === true && !allowsControl) throw new LoopError(failures.controlNotAllowed());
    },
    assertPage(exchange) {
      const origin = originOf(exchange);
      assertOwnHost(origin, names);
      assertOwnSite(origin, true);
    },
  };
}

function isKnown({ req }: Exchange, { sessions, isSecure, tokenDigest }: AccessOptions): boolean {
  const token = /^Bearer (\S+)$/u.exec(req.header('authorization') ?? '')?.[1];
  if (token !== undefined) return tokenDigest !== undefined && isSecret(token, tokenDigest);
  const key = req.header('x-ralphd-key');
  if (key === undefined) return false;
  return readCookies(req.header('cookie'), isSecure).some((cookie) => sessions.isSignedIn(cookie, key));
}

function originOf({ req }: Exchange): RequestOrigin {
  return {
    host: req.header('host'),
    origin: req.header('origin'),
    site: req.header('sec-fetch-site'),
    mode: req.header('sec-fetch-mode'),
    dest: req.header('sec-fetch-dest'),
  };
}
