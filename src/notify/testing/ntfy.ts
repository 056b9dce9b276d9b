import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, startReceiver } from './receiver.ts';

/** A message as a server of ntfy has published it. */
export interface PublishedMessage {
  readonly topic: string;
  readonly title?: string;
  readonly message: string;
  readonly priority: number;
}

const fields = ['topic', 'message', 'title', 'tags', 'priority', 'actions', 'click', 'attach', 'markdown', 'icon'];
const maxMessageBytes = 4_096;
const topicForm = /^[-_A-Za-z0-9]{1,64}$/;

type Refusal = readonly [http: number, code: number, error: string];

/**
 * A receiver that follows the documented way to publish JSON to ntfy (https://docs.ntfy.sh/publish/#publish-as-json), and
 * refuses what the server refuses, with its status and code. It is stricter in that it refuses unknown fields.
 */
export async function startNtfy(token?: string) {
  const published: PublishedMessage[] = [];
  const refusals: number[] = [];
  const { url, requests } = await startReceiver((response) => {
    const request = requests.at(-1);
    if (request === undefined) return;
    const refusal = refusalOf(request, token);
    if (refusal === undefined) {
      const message = JSON.parse(request.body) as PublishedMessage;
      published.push(message);
      return answer(response, 200, { id: 'hwQ2YpKdmg', time: 1, event: 'message', ...message });
    }
    const [http, code, error] = refusal;
    refusals.push(code);
    answer(response, http, { code, http, error });
  });
  return { url, published, refusals };
}

function refusalOf({ method, path, headers, body }: ReceivedRequest, token: string | undefined): Refusal | undefined {
  if (!['POST', 'PUT'].includes(method) || path !== '/') return [404, 40401, 'page not found'];
  if (token !== undefined && headers.authorization === undefined) return [403, 40301, 'forbidden'];
  if (token !== undefined && headers.authorization !== `Bearer ${token}`) return [401, 40101, 'unauthorized'];
  const message = parse(body);
  if (message === undefined || Object.keys(message).some((field) => !fields.includes(field))) {
    return [400, 40017, 'invalid request: request body must be message JSON'];
  }
  const { topic, message: text, title = '', priority = 3 } = message;
  if (typeof topic !== 'string' || !topicForm.test(topic)) return [400, 40009, 'invalid request: topic invalid'];
  if (typeof text !== 'string' || typeof title !== 'string') return [400, 40017, 'request body must be message JSON'];
  if (!Number.isInteger(priority) || Number(priority) < 1 || Number(priority) > 5) {
    return [400, 40007, 'invalid priority parameter'];
  }
  // A longer message becomes an attachment, which this server does not allow.
  if (Buffer.byteLength(text) > maxMessageBytes) return [400, 40014, 'invalid request: attachments not allowed'];
  return undefined;
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
