import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { failures, LoopError } from '../../base/index.ts';
import { errorCode } from '../../files/index.ts';

/** Where metrics are answered. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

// Prometheus asks for one page every few seconds.
const limits = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 60_000, maxHeaderSize: 8 * 1024 };
const maxConnections = 20;
const type = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Answers `/metrics` until it is disposed of. It has numbers and names of accounts, and changes nothing. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  text: () => Promise<string>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(limits, (request, response) => void answer(request, response, { host, text }));
  server.maxConnections = maxConnections;
  server.on('clientError', (_error, socket) => socket.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (error) {
    const address = `${host}:${port}`;
    const why = error instanceof Error ? error.message : String(error);
    const failure =
      errorCode(error) === 'EADDRINUSE' ? failures.addressInUse(address) : failures.addressUnusable(address, why);
    throw new LoopError(failure, { cause: error });
  }
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `http://${shown}:${(server.address() as AddressInfo).port}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

interface Answering {
  readonly host: string;
  readonly text: () => Promise<string>;
}

async function answer(request: IncomingMessage, response: ServerResponse, { host, text }: Answering): Promise<void> {
  const status = refusalOf(request, host);
  if (status !== undefined) {
    response.writeHead(status, { 'Content-Length': 0, Connection: 'close' }).end();
    return;
  }
  try {
    const body = await text();
    const headers = {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
    };
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
  } catch {
    response.writeHead(500, { 'Content-Length': 0 }).end();
  }
}

function refusalOf({ method, url, headers }: IncomingMessage, host: string): number | undefined {
  // A site whose name resolves to this machine.
  if (isLoopback(host) && !isLoopback(nameIn(headers.host))) return 403;
  if (url?.split('?')[0] !== '/metrics') return 404;
  return method === 'GET' || method === 'HEAD' ? undefined : 405;
}

function nameIn(host = ''): string {
  return host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
