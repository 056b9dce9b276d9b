import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request that a receiver got. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on loopback that keeps what it gets. */
export interface Receiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Starts a receiver for the current test; `answer` gets the number of the request, from 1. */
export async function startReceiver(answer: (response: ServerResponse, number: number) => void): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') });
      answer(response, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Answers with a status. */
export function respond(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers).end();
  };
}
