import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { failures, LoopError } from '../../base/index.ts';
import { errorCode } from '../../files/index.ts';
import { securityHeaders } from './answers.ts';

/** A certificate and its key, in PEM form. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Where a server answers. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly certificate?: Certificate | undefined;
}

/** A server that answers requests. */
export interface Listening {
  readonly port: number;
  /** Ends all connections. */
  close(): Promise<void>;
}

type Answer = Parameters<typeof getRequestListener>[0];

// A client that sends its request slowly, or none, is cut off; an answer may take as long as it likes.
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** Above what pages and scripts of one person need, and far below what the system has. */
const maxConnections = 1_200;
const maxHeaders = 100;

/**
 * Browsers ask for one thing at a time on a connection. A client that asks for thousands without taking an answer would
 * have all of them in our memory.
 */
const maxUnanswered = 8;

/** Answers requests until it is closed. */
export async function listen(answer: Answer, { host, port, certificate }: ListenOptions): Promise<Listening> {
  const listener = getRequestListener(answer, {
    overrideGlobalObjects: false,
    hostname: host,
    errorHandler: malformed,
  });
  const handle = withoutFloods((...given) => void listener(...given));
  const server = certificate === undefined ? createServer(limits, handle) : secureServer(certificate, handle);
  server.maxConnections = maxConnections;
  server.maxHeadersCount = maxHeaders;
  // A connection that breaks is the client's affair.
  server.on('clientError', (_error, socket) => socket.destroy());
  await begin(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Cuts off a connection with too many requests that are not answered yet. */
function withoutFloods(handle: Handle): Handle {
  const unanswered = new WeakMap<Socket, number>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count > maxUnanswered) return void socket.destroy();
    outgoing.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handle(incoming, outgoing);
  };
}

/** A request that is no request of the web at all. */
function malformed(): Response {
  return new Response(null, { status: 400, headers: { ...securityHeaders, Connection: 'close' } });
}

function secureServer({ cert, key }: Certificate, handle: Handle): Server {
  try {
    return createSecureServer({ ...limits, cert, key, minVersion: 'TLSv1.2' }, handle);
  } catch (error) {
    throw new LoopError(failures.tlsUnusable(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

async function begin(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (error) {
    const address = `${host}:${port}`;
    if (errorCode(error) === 'EADDRINUSE') throw new LoopError(failures.addressInUse(address), { cause: error });
    const why = error instanceof Error ? error.message : String(error);
    throw new LoopError(failures.addressUnusable(address, why), { cause: error });
  } finally {
    server.off('error', reject);
  }
}
