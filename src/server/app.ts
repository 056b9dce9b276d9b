import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { failures, LoopError } from '../base/index.ts';
import { type Operation, type OperationName, operations } from '../protocol/index.ts';
import type { Access } from './access/access.ts';
import { answerPage } from './http/answer-page.ts';
import { errorBody, notStored, securityHeaders, statusOf, toFailure } from './http/answers.ts';
import { streamHeaders } from './http/event-stream.ts';
import { toJson } from './http/json.ts';
import type { PageFiles } from './http/page-files.ts';
import { type Answer, type Exchange, type Handler, type Handlers, readInput } from './http/requests.ts';

/** What a server answers with. */
export interface AppParts {
  readonly handlers: Handlers;
  readonly access: Access;
  readonly files: PageFiles;
  /** Told of errors that no rule expected. */
  readonly onFault: (error: unknown) => void;
}

/** Everything between a request and its answer. */
export function createApp({ handlers, access, files, onFault }: AppParts): Hono<{ readonly Bindings: HttpBindings }> {
  const app = new Hono<{ readonly Bindings: HttpBindings }>();
  app.use(async (exchange, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) exchange.res.headers.set(name, value);
  });
  for (const name of Object.keys(operations) as OperationName[]) {
    const { method, path }: Operation = operations[name];
    app.on(method.toUpperCase(), toRoute(path), async (exchange) => {
      access.assertAllowed(name, exchange);
      const input = await readInput(name, exchange);
      if (exchange.req.method === 'HEAD' && isStream(name)) return exchange.body(null, 200, streamHeaders);
      const handle = handlers[name] as Handler<OperationName>;
      return respond(name, await handle(input, exchange), exchange);
    });
  }
  app.get('*', (exchange) => {
    access.assertPage(exchange);
    return answerPage(files, exchange);
  });
  app.all('*', (exchange) => {
    access.assertPage(exchange);
    throw new LoopError(failures.addressUnknown(exchange.req.path.slice(0, 200)));
  });
  app.onError((error, exchange) => {
    const failure = toFailure(error);
    if (failure.code === 'SERVER_FAILED') onFault(error);
    const headers = { 'Content-Type': 'application/json', ...notStored };
    const response = new Response(errorBody(failure), { status: statusOf(failure), headers });
    for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
    // The rest of its body is not read.
    if (exchange.req.raw.body !== null) response.headers.set('Connection', 'close');
    return response;
  });
  return app;
}

function isStream(name: OperationName): boolean {
  const { answer }: Operation = operations[name];
  return typeof answer === 'object' && 'events' in answer;
}

function toRoute(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function respond(name: OperationName, answer: Answer<OperationName>, exchange: Exchange): Response {
  const { status = 200, answer: kind }: Operation = operations[name];
  if (typeof answer === 'function') {
    answer(exchange.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  }
  if (answer === undefined) return exchange.body(null, 204, notStored);
  if (typeof answer === 'string') {
    const type = typeof kind === 'object' && 'text' in kind ? kind.text : 'text/plain';
    return exchange.body(answer, 200, { 'Content-Type': type, ...notStored });
  }
  return exchange.body(toJson(answer), status === 201 ? 201 : 200, {
    'Content-Type': 'application/json',
    ...notStored,
  });
}
