import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
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

/** Answers requests until it is closed. */
export async function listen(answer: Answer, { host, port, certificate }: ListenOptions): Promise<Listening> {
  const listener = getRequestListener(answer, {
    overrideGlobalObjects: false,
    hostname: host,
    errorHandler: malformed,
  });
  const handle = (...given: Parameters<typeof listener>) => void listener(...given);
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

/** A request that is no request of the web at all. */
function malformed(): Response {
  return new Response(null, { status: 400, headers: { ...securityHeaders, Connection: 'close' } });
}

function secureServer({ cert, key }: Certificate, handle: Parameters<typeof createServer>[1]): Server {
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
