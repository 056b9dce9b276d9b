import type { ServerResponse } from 'node:http';
import { toJson } from './json.ts';

/** What an event stream is written to. */
export type StreamTarget = Pick<ServerResponse, 'writeHead' | 'write' | 'end' | 'destroy' | 'on' | 'off' | 'once'> & {
  readonly writableLength: number;
  readonly destroyed: boolean;
};

/** A message of a stream, ready to be sent to any number of readers. */
export type Frame = string;

/** Makes a message. Only one with an id can be resumed after. */
export function frameOf(event: string, data: unknown, id?: number): Frame {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${number}data: ${toJson(data)}\n\n`;
}

/** One reader of a stream. */
export interface EventStream {
  /** Sends a message at once; resolves when there is room for another one, or when the reader is gone. */
  send(frame: Frame): Promise<void>;
  readonly isClosed: boolean;
  /** Sends what is left, and ends the stream. */
  end(): void;
  onClose(listener: () => void): void;
}

/** A reader may be this far behind, in bytes, before its stream waits for it. */
const roomBytes = 64 * 1024;
/** A reader that takes nothing for this long is cut off; it returns by the number of its last fact. */
const patienceMs = 30_000;
/** Tells a reader that the server is there, and the server that the reader is. */
const pingMs = 5_000;
const ping = ': ping\n\n';

/** What every stream of events begins with. */
export const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const;

/** Opens a stream of events. */
export function openEventStream(target: StreamTarget, headers: Readonly<Record<string, string>>): EventStream {
  const listeners = new Set<() => void>();
  let isClosed = false;
  target.writeHead(200, {
    ...headers,
    ...streamHeaders,
  });
  // Sends the headers.
  target.write(': ready\n\n');
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    clearInterval(pings);
    for (const listener of listeners) listener();
  };
  const pings = setInterval(() => {
    if (target.writableLength === 0) target.write(ping);
  }, pingMs);
  target.on('close', close);
  target.on('error', close);
  return {
    get isClosed() {
      return isClosed;
    },
    send: async (frame) => {
      if (isClosed) return;
      target.write(frame);
      if (target.writableLength > roomBytes) await drained(target, () => isClosed);
    },
    end: () => {
      if (isClosed) return;
      target.end();
      close();
    },
    onClose: (listener) => void listeners.add(listener),
  };
}

async function drained(target: StreamTarget, isClosed: () => boolean): Promise<void> {
  if (isClosed()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    target.destroy();
    resolve();
  }, patienceMs);
  target.once('drain', resolve);
  target.once('close', resolve);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    target.off('drain', resolve);
    target.off('close', resolve);
  }
}
