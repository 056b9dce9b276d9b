import type { EventStream } from '../http/event-stream.ts';
import type { Cursor } from './cursor.ts';
import { sendFeed } from './feed-reader.ts';
import { type FeedParts, type LoopFeed, openLoopFeed } from './loop-feed.ts';
import type { NamedLoop } from './projects.ts';

/** The loops that are looked at, each followed once. */
export interface Feeds extends Disposable {
  /** A loop as it is now; it stays open for a while, because a reader usually comes next. */
  open(named: NamedLoop): Promise<LoopFeed>;
  /** Sends a loop to a reader until one of them is gone. */
  send(feed: LoopFeed, stream: EventStream, after: Cursor): void;
}

/** How many loops stay open that nobody reads. */
const maxIdle = 8;

/** An ended loop does not change any more, as a rule. */
const keepEndedMs = 30_000;

interface Held {
  readonly feed: Promise<LoopFeed>;
  readers: number;
}

/** Opens loops on demand. */
export function createFeeds(parts: Omit<FeedParts, 'named'>): Feeds {
  // The one that was used last is last.
  const held = new Map<string, Held>();
  const drop = (key: string, { feed }: Held) => {
    held.delete(key);
    feed.then(
      (opened) => opened[Symbol.dispose](),
      () => {},
    );
  };
  const trim = () => {
    const idle = [...held].filter(([, { readers }]) => readers === 0);
    for (const [key, each] of idle.slice(0, Math.max(0, idle.length - maxIdle))) drop(key, each);
  };
  /** An ended loop can be restored, and a removed one created again: then it has to be opened anew. */
  const forgetAfterEnd = (key: string, used: Held) => {
    const forget = () => {
      if (held.get(key) === used) drop(key, used);
    };
    used.feed.then(
      (feed) => {
        const check = () => {
          if (feed.over !== undefined) setTimeout(forget, feed.over.why === 'over' ? keepEndedMs : 0).unref();
        };
        feed.listen((changed) => {
          if (changed === 'over') check();
        });
        check();
      },
      () => {},
    );
  };
  return {
    async open(named) {
      const known = held.get(named.key);
      const used = known ?? { feed: openLoopFeed({ ...parts, named }), readers: 0 };
      if (known === undefined) forgetAfterEnd(named.key, used);
      held.delete(named.key);
      held.set(named.key, used);
      trim();
      try {
        return await used.feed;
      } catch (error) {
        if (held.get(named.key) === used) held.delete(named.key);
        throw error;
      }
    },
    send(feed, stream, after) {
      const { key } = feed.named;
      const used = held.get(key);
      if (used !== undefined) used.readers += 1;
      stream.onClose(() => {
        if (used !== undefined) used.readers -= 1;
        trim();
      });
      sendFeed(feed, stream, after);
    },
    [Symbol.dispose]: () => {
      for (const [key, each] of held) drop(key, each);
    },
  };
}
