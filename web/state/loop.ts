import type { LoopMessages, LoopPage, Standing } from '../../src/protocol/index.ts';
import { addFact, addPulse, type History, type Live, nothingLive, runOf } from '../../src/views/index.ts';
import { ask, RequestError } from '../api/request.ts';
import { openStream } from '../api/stream.ts';
import { type Cell, createCell } from './cell.ts';
import { setServerClock } from './clock.ts';
import { caughtUp, connection, expired, heard, lost } from './connection.ts';
import { readServer, takeFailure } from './server.ts';

/** One loop as the page shows it: what the server sent first, and every fact since. */
export interface ShownLoop {
  readonly page: LoopPage;
  /** Names the last fact, so that the server notices if its history is another one when this page returns. */
  readonly cursor: string;
  readonly standing: Standing;
  readonly history: History;
  readonly live: Live;
  /** The loop is gone for good: removed, unreadable, or over with nothing left to send. */
  readonly gone?: LoopMessages['gone'];
}

/** A loop that is followed, until it is disposed of. */
export interface FollowedLoop extends Disposable {
  readonly loop: Cell<ShownLoop | undefined>;
  /** Why the loop cannot be shown. */
  readonly problem: Cell<RequestError | undefined>;
}

/** Reads a loop once and then follows its facts, each exactly once. */
export function followLoop(key: string): FollowedLoop {
  const loop = createCell<ShownLoop | undefined>(undefined);
  const problem = createCell<RequestError | undefined>(undefined);
  const over = new AbortController();
  let stream: Disposable | undefined;
  const begin = async () => {
    const page = await ask<LoopPage>(`/api/loops/${key}`, over.signal);
    setServerClock(page.standing.nowMs);
    heard();
    loop.set(shownLoop(page));
    stream = followFacts(key, { loop, reload: () => void start() });
    if (over.signal.aborted) stream[Symbol.dispose]();
  };
  const start = async () => await persist(begin, { over: over.signal, refused: (error) => problem.set(error) });
  void start();
  return {
    loop,
    problem,
    [Symbol.dispose]: () => {
      over.abort();
      stream?.[Symbol.dispose]();
    },
  };
}

const pauseMs = 2_000;

/** Tries until the server answers. */
async function persist(
  action: () => Promise<void>,
  { over, refused }: { readonly over: AbortSignal; readonly refused: (error: RequestError) => void },
): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (over.aborted) return;
    takeFailure(error);
    if (!(error instanceof RequestError) || error.isExpired) return;
    if (error.status !== 0) return refused(error);
    setTimeout(() => {
      if (!over.aborted) void persist(action, { over, refused });
    }, pauseMs);
  }
}

function shownLoop(page: LoopPage): ShownLoop {
  const { standing, history, live } = page;
  // The server sends what the same folds made.
  return { page, cursor: page.cursor, standing, history: history as History, live };
}

interface Following {
  readonly loop: Cell<ShownLoop | undefined>;
  /** Reads the whole loop again. */
  readonly reload: () => void;
}

function followFacts(key: string, { loop, reload }: Following): Disposable {
  let wasLost = false;
  const stream: Disposable = openStream({
    path: () => `/api/loops/${key}/events?after=${loop.value?.cursor ?? 0}`,
    opened: () => {
      wasLost = connection.value.phase === 'lost';
      void readServer();
    },
    heard,
    lost,
    refused: (error) => {
      if (error.isExpired) expired();
      else if (loop.value !== undefined) {
        loop.set({ ...loop.value, gone: { why: 'unreadable', message: 'The server can no longer read this loop.' } });
      }
    },
    message: ({ name, data, id }) => {
      const { value } = loop;
      if (value === undefined) return;
      if (name === 'hello') {
        const { seq, after } = data as LoopMessages['hello'];
        if (wasLost) caughtUp(Math.max(0, seq - after));
        return;
      }
      const next = taken(value, { name: name as keyof LoopMessages, data: data as LoopMessages[keyof LoopMessages] });
      loop.set(id === undefined ? next : { ...next, cursor: id });
      if (name !== 'gone') return;
      stream[Symbol.dispose]();
      // Its facts are others now, with numbers that were used before.
      if ((data as LoopMessages['gone']).why === 'restored') reload();
    },
  });
  return stream;
}

/** The loop after one more message. A fact that was taken before changes nothing. */
function taken(
  shown: ShownLoop,
  { name, data }: { readonly name: keyof LoopMessages; readonly data: LoopMessages[keyof LoopMessages] },
): ShownLoop {
  switch (name) {
    case 'fact':
      return withFact(shown, data as LoopMessages['fact']);
    case 'pulse':
      return { ...shown, live: addPulse(shown.live, (data as LoopMessages['pulse']) ?? undefined) };
    case 'standing':
      return { ...shown, standing: data as Standing };
    case 'owner':
      return { ...shown, standing: { ...shown.standing, owner: data as LoopMessages['owner'] } };
    case 'gone':
      return { ...shown, gone: data as LoopMessages['gone'] };
    case 'hello':
      return shown;
  }
}

function withFact(shown: ShownLoop, sent: LoopMessages['fact']): ShownLoop {
  const fact = sent as unknown as Parameters<typeof addFact>[1];
  const history = addFact(shown.history, fact);
  if (history === shown.history) return shown;
  const isNewRun = fact.type === 'iteration.started' && shown.live.run !== runOf({ ...fact.data, epoch: fact.epoch });
  const live = isNewRun ? nothingLive : shown.live;
  return { ...shown, history, live };
}
