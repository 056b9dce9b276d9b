import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Place, placeOf, prefixOf } from './address.ts';
import { anthropic } from './anthropic.ts';
import { bodyOf } from './body.ts';
import { chat } from './chat.ts';
import type { Conversation } from './conversation.ts';
import { gemini } from './gemini.ts';
import type { Json } from './json.ts';
import type { Answer, Protocol, StreamEvent } from './protocol.ts';
import type { Reply } from './reply.ts';
import { responses } from './responses.ts';
import { type Script, scenarios } from './scenarios.ts';
import { callFor } from './tools.ts';

/** A request that reached a model, and the kind of reply. */
export interface Asked {
  readonly place: Place;
  readonly protocol: string;
  readonly conversation: Conversation;
  readonly reply: Reply['kind'];
}

/** A model provider on loopback that plays scripts. */
export interface ModelServer extends AsyncDisposable {
  readonly origin: string;
  /** The provider address to configure in an agent. */
  addressOf(place: Place): string;
  /** The requests from a folder so far. */
  asked(folder: string): readonly Asked[];
}

const protocols: readonly Protocol[] = [anthropic, responses, chat, gemini];

/** Starts a provider on a free port. */
export async function startModelServer(): Promise<ModelServer> {
  const log: Asked[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, log).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  // Some clients try a WebSocket first; after this response they fall back to HTTP.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    addressOf: (place) => origin + prefixOf(place),
    asked: (folder) => log.filter(({ place }) => place.folder === folder),
    [Symbol.asyncDispose]: () => close(server),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, log: Asked[]): Promise<void> {
  const body = await bodyOf(request);
  const found = placeOf(new URL(request.url ?? '/', 'http://loopback').pathname);
  if (found === undefined) return sendJson(response, 404, { error: { message: 'No such script.' } });
  const { place, rest } = found;
  const aside = protocols.map((protocol) => protocol.aside?.(rest)).find((given) => given !== undefined);
  if (aside !== undefined) return sendJson(response, 200, aside);
  const protocol = request.method === 'POST' ? protocols.find(({ matches }) => matches(rest)) : undefined;
  if (protocol === undefined) return sendJson(response, 404, { error: { message: `Nothing at ${rest}.` } });

  const conversation = protocol.read(body, rest);
  const earlier = log.filter((asked) => asked.place.folder === place.folder && isWork(asked.conversation)).length;
  const reply = replyTo(conversation, scenarios[place.scenario], earlier);
  log.push({ place, protocol: protocol.name, conversation, reply: reply.kind });
  play(reply, { response, protocol, conversation, body, folder: place.folder });
}

/** Side requests, such as for a title, are not part of a script; they fail only if the script refuses. */
function replyTo(conversation: Conversation, script: Script, earlier: number): Reply {
  const reply = script(conversation, earlier);
  return isWork(conversation) || reply.kind === 'refusal' ? reply : { kind: 'text', text: 'Work on a task' };
}

function isWork({ tools }: Conversation): boolean {
  return tools.length > 0;
}

interface Scene {
  readonly response: ServerResponse;
  readonly protocol: Protocol;
  readonly conversation: Conversation;
  readonly body: Json;
  readonly folder: string;
}

function play(reply: Reply, { response, protocol, conversation, body, folder }: Scene): void {
  const render = (given: Answer) => protocol.render(given, conversation, body);
  const beginning = () =>
    render({ text: 'The beginning of an answer that never comes to its end.' }).events.slice(0, 3);
  switch (reply.kind) {
    case 'refusal': {
      const { status, headers, body: words } = protocol.refuse(reply.refusal);
      return sendJson(response, status, words, headers);
    }
    case 'hang':
      if (reply.begun) beginStream(response, beginning());
      return;
    case 'truncated':
      beginStream(response, beginning());
      // The client receives what was sent, then the end of an incomplete stream.
      return void response.socket?.end();
    case 'text':
    case 'tool': {
      const { whole, events } = render(answerOf(reply, conversation, folder));
      if (!conversation.stream) return sendJson(response, 200, whole);
      beginStream(response, events);
      response.end();
    }
  }
}

/** Without a suitable tool, the model claims completion anyway: its word proves nothing. */
function answerOf(reply: Reply & { kind: 'text' | 'tool' }, { tools }: Conversation, folder: string): Answer {
  if (reply.kind === 'text') return { text: reply.text };
  const call = callFor(reply.wish, tools, folder);
  return call === undefined ? { text: 'I have no tool for that, but:\n\n<promise>DONE</promise>' } : { call };
}

function beginStream(response: ServerResponse, events: readonly StreamEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { name, data } of events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`);
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });
}
