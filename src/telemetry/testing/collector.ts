import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type ReadPoint, type ReadSpan, readMetricRequest, readTraceRequest } from './read-otlp.ts';

/** A collector on loopback that accepts nothing that is not valid OTLP as JSON. */
export interface Collector {
  readonly url: string;
  /** Every span that it accepted, in order; what was sent twice is here twice. */
  readonly spans: readonly ReadSpan[];
  /** The newest value of every series. */
  readonly points: ReadonlyMap<string, ReadPoint>;
  readonly headers: readonly IncomingHttpHeaders[];
  /** Why it refused requests. */
  readonly faults: readonly string[];
  /** How often it was asked. */
  readonly requests: () => number;
}

/** How a collector answers; by default it accepts what is valid. True stands for an answer that was given. */
export type Answer = (response: ServerResponse, request: number) => boolean;

/** Starts a collector for the current test. */
export async function startCollector(answer: Answer = () => false): Promise<Collector> {
  const spans: ReadSpan[] = [];
  const points = new Map<string, ReadPoint>();
  const headers: IncomingHttpHeaders[] = [];
  const faults: string[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      headers.push(request.headers);
      if (answer(response, requests)) return;
      try {
        const bytes = Buffer.concat(chunks);
        const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
        if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
          throw new Error('no JSON');
        if (request.url === '/v1/traces') spans.push(...readTraceRequest(text));
        else if (request.url === '/v1/metrics')
          for (const each of readMetricRequest(text)) points.set(each.series, each);
        else throw new Error(`no path of OTLP: ${request.url}`);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      } catch (error) {
        faults.push(String(error));
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, points, headers, faults, requests: () => requests };
}
