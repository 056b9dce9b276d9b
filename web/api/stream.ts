import { RequestError } from './request.ts';
import { sessionHeaders } from './session.ts';

/** One message of a stream of events. */
export interface StreamMessage {
  readonly name: string;
  readonly data: unknown;
  /** What to continue after. */
  readonly id?: string;
}

/** Called as a stream comes, goes and comes back. */
export interface StreamListener {
  /** Where to connect: asked each time, because a stream continues after the last fact that was taken. */
  path(): string;
  opened(): void;
  /** Anything came, even if it says nothing: the server is alive. */
  heard(): void;
  message(message: StreamMessage): void;
  /** The connection is gone; another try follows. */
  lost(): void;
  /** The server refuses: no other try follows. */
  refused(error: RequestError): void;
}

/** The server says something every few seconds; longer silence means that the connection is dead. */
const maxSilenceMs = 40_000;
const firstPauseMs = 500;
const maxPauseMs = 8_000;

/**
 * A browser has six connections for a server, so a page that nobody looks at lets go of its own and comes back now and
 * then: its title stays true, and a seventh page does not wait. Nothing is lost, because a stream continues after the last
 * fact that was taken.
 */
const hiddenVisitMs = 3_000;
const hiddenPauseMs = 30_000;

/** Follows a stream of events until it is disposed of, and connects again whenever it breaks. */
export function openStream(listener: StreamListener): Disposable {
  const over = new AbortController();
  void follow(listener, over.signal);
  return { [Symbol.dispose]: () => over.abort() };
}

async function follow(listener: StreamListener, over: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!over.aborted) {
    using visit = startVisit();
    const wasOpen = await connect(listener, AbortSignal.any([over, visit.isOver])).catch((error: unknown) => {
      if (error instanceof RequestError) return error;
      return false;
    });
    if (over.aborted) return;
    if (wasOpen instanceof RequestError) return listener.refused(wasOpen);
    if (visit.isOver.aborted) {
      await untilShown(hiddenPauseMs, over);
      continue;
    }
    listener.lost();
    pauseMs = wasOpen ? firstPauseMs : Math.min(maxPauseMs, pauseMs * 2);
    await pause(pauseMs, over);
  }
}

/** Ends some time after nobody looks at the page any more. */
function startVisit(): Disposable & { readonly isOver: AbortSignal } {
  const visit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => visit.abort(), hiddenVisitMs);
  };
  look();
  document.addEventListener('visibilitychange', look);
  return {
    isOver: visit.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/** Waits until somebody looks at the page again, but not for longer than that. */
async function untilShown(ms: number, over: AbortSignal): Promise<void> {
  const shown = new AbortController();
  const look = () => {
    if (!document.hidden) shown.abort();
  };
  document.addEventListener('visibilitychange', look);
  look();
  await pause(ms, AbortSignal.any([over, shown.signal]));
  document.removeEventListener('visibilitychange', look);
}

/** One connection, until it breaks; true if it ever stood. */
async function connect(listener: StreamListener, over: AbortSignal): Promise<boolean> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), maxSilenceMs);
  let isOpen = false;
  try {
    const response = await fetch(listener.path(), {
      headers: { accept: 'text/event-stream', ...sessionHeaders() },
      signal: AbortSignal.any([over, silence.signal]),
      credentials: 'same-origin',
      cache: 'no-store',
    });
    if (response.status >= 400 && response.status < 500 && response.status !== 429) {
      throw new RequestError(response.status, { code: `HTTP_${response.status}`, message: '', hint: '' });
    }
    if (!response.ok || response.body === null) return false;
    isOpen = true;
    listener.opened();
    const parser = createParser((message) => listener.message(message));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), maxSilenceMs);
      listener.heard();
      parser.take(part.value);
    }
    return true;
  } catch (error) {
    if (error instanceof RequestError) throw error;
    return isOpen;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads messages out of pieces of text, wherever they are cut. */
export function createParser(emit: (message: StreamMessage) => void): { take(text: string): void } {
  let rest = '';
  let name = 'message';
  let data: string[] = [];
  let id: string | undefined;
  const takeLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) emit({ name, data: parse(data.join('\n')), ...(id !== undefined && { id }) });
      name = 'message';
      id = undefined;
      data = [];
    } else if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('id:')) id = line.slice(3).trim();
    else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  };
  return {
    take(text) {
      const lines = (rest + text).split(/\r?\n/u);
      rest = lines.pop() ?? '';
      for (const line of lines) takeLine(line);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    over.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
