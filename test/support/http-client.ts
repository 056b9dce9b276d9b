import http from 'node:http';

/** An answer, read to its end. */
export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** A request; headers that a browser would set can be anything here. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request to a server on this machine, over a connection of its own. */
export async function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    response.on('error', reject);
  });
  request.on('error', reject);
  request.end(body);
  return await promise;
}

/** A message of an event stream. */
export interface Message {
  readonly event: string;
  /** The number of a fact. */
  readonly id?: number;
  readonly cursor?: string;
  readonly data: unknown;
}

/** An event stream that is read as it comes. */
export interface EventReader {
  readonly status: number;
  /** What has come so far. */
  readonly messages: readonly Message[];
  /** How much has come, comments included. */
  readonly bytes: number;
  readonly isEnded: boolean;
  close(): void;
}

/** Opens an event stream. */
export async function openEvents(port: number, path: string, headers: Asked['headers'] = {}): Promise<EventReader> {
  const { promise, resolve, reject } = Promise.withResolvers<EventReader>();
  const request = http.get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
    const messages: Message[] = [];
    let rest = '';
    let bytes = 0;
    let isEnded = false;
    response.setEncoding('utf8').on('data', (part: string) => {
      bytes += part.length;
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop() ?? '';
      messages.push(...blocks.flatMap(messageIn));
    });
    response.on('close', () => (isEnded = true));
    response.on('error', () => (isEnded = true));
    resolve({
      status: response.statusCode ?? 0,
      messages,
      get bytes() {
        return bytes;
      },
      get isEnded() {
        return isEnded;
      },
      close: () => request.destroy(),
    });
  });
  request.on('error', reject);
  return await promise;
}

function messageIn(block: string): readonly Message[] {
  const fields = new Map(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+): (.*)$/s.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
  const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
  if (event === undefined || data === undefined) return [];
  return [
    {
      event,
      data: JSON.parse(data) as unknown,
      ...(id === undefined ? {} : { id: Number.parseInt(id, 10), cursor: id }),
    },
  ];
}
