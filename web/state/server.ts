import type { ServerInfo } from '../../src/protocol/index.ts';
import { ask, order, RequestError } from '../api/request.ts';
import { keepSessionKey } from '../api/session.ts';
import { createCell } from './cell.ts';
import { setServerClock } from './clock.ts';
import { expired, heard, lost } from './connection.ts';

/** What the server is and may do; undefined until it has answered. */
export const server = createCell<ServerInfo | undefined>(undefined);

/** Exchanges the token of the link for a cookie, if there is one, and asks who the server is. */
export async function signIn(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    history.replaceState(undefined, '', location.pathname + location.search);
    await order<{ readonly key: string }>('/api/session', { token }).then(
      ({ key }) => keepSessionKey(key),
      takeFailure,
    );
  }
  await readServer();
}

/** Asks who the server is, again after a connection came back: it may have been started with other options. */
export async function readServer(): Promise<void> {
  try {
    const info = await ask<ServerInfo>('/api/server');
    setServerClock(info.nowMs);
    server.set(info);
    heard();
  } catch (error) {
    takeFailure(error);
  }
}

/** What a failed request says about the connection. */
export function takeFailure(error: unknown): void {
  if (!(error instanceof RequestError)) throw error;
  if (error.isExpired) expired();
  else if (error.status === 0) lost();
}
