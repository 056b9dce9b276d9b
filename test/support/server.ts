import { onTestFinished } from 'vitest';
import { type Answered, type Asked, ask, type EventReader, openEvents } from './http-client.ts';
import { eventually, type Project, type Running } from './project.ts';

/** A running `ralphd serve`, and a browser that is signed in. */
export interface Served {
  readonly running: Running;
  readonly port: number;
  readonly origin: string;
  readonly token: string;
  /** What the browser sends with every request. */
  readonly session: Readonly<Record<string, string>>;
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** The JSON of an answer. */
  get(path: string): Promise<Record<string, unknown>>;
  post(path: string, body: unknown): Promise<Answered & { readonly json: Record<string, unknown> }>;
  follow(path: string, headers?: Asked['headers']): Promise<EventReader>;
}

/** Starts a server for a project and signs in. */
export async function serve(
  project: Project,
  args: readonly string[] = [],
  session?: Served['session'],
): Promise<Served> {
  const running = project.start(['serve', '--json', ...(args.includes('--port') ? [] : ['--port', '0']), ...args]);
  onTestFinished(() => running.signal('SIGKILL'));
  await eventually(() => running.output().stdout).toContain('\n');
  const { url, origin } = JSON.parse(running.output().stdout) as { readonly url: string; readonly origin: string };
  const port = Number(new URL(origin).port);
  const token = new URL(url).hash.replace('#token=', '');
  const own = session ?? (await signIn(port, token));
  const send = async (path: string, asked: Asked = {}) =>
    await ask(port, path, { ...asked, headers: { ...own, ...asked.headers } });
  return {
    running,
    port,
    origin,
    token,
    session: own,
    ask: send,
    get: async (path) => JSON.parse((await send(path)).text) as Record<string, unknown>,
    async post(path, body) {
      const headers = { 'content-type': 'application/json' };
      const answered = await send(path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { ...answered, json: JSON.parse(answered.text) as Record<string, unknown> };
    },
    async follow(path, headers = {}) {
      const reader = await openEvents(port, path, { ...own, ...headers });
      onTestFinished(() => reader.close());
      return reader;
    },
  };
}

/** Exchanges the token of a link for a session. */
export async function signIn(port: number, token: string): Promise<Served['session']> {
  const answered = await ask(port, '/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const [cookie = ''] = answered.headers['set-cookie'] ?? [];
  const { key = '' } = JSON.parse(answered.text) as { readonly key?: string };
  return { cookie: cookie.split(';')[0] ?? '', 'x-ralphd-key': key };
}
