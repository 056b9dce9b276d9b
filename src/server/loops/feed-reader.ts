import type { EventStream } from '../http/event-stream.ts';
import { frameOf } from '../http/event-stream.ts';
import type { Cursor } from './cursor.ts';
import { type LatestName, type LoopFeed, restored } from './loop-feed.ts';

/**
 * Sends a loop to one reader: every fact after a number, each once and in order, and of everything else the newest. A slow
 * reader holds up nobody: it pulls what it can take.
 */
export function sendFeed(feed: LoopFeed, stream: EventStream, after: Cursor): void {
  const waiting = new Set<LatestName>(['owner', 'pulse', 'standing']);
  let sent = after.seq;
  let isPumping = false;
  const pump = async () => {
    if (isPumping) return;
    isPumping = true;
    try {
      while (!stream.isClosed && (await sendNext())) {}
    } finally {
      isPumping = false;
    }
  };
  const sendNext = async () => {
    if (sent < feed.fold.seq) {
      for await (const { frames, seq } of feed.factsAfter(sent)) {
        if (stream.isClosed) return false;
        await stream.send(frames);
        sent = seq;
      }
      return true;
    }
    for (const name of waiting) {
      const frame = feed.latest(name);
      waiting.delete(name);
      if (frame === undefined) continue;
      await stream.send(frame);
      return true;
    }
    if (feed.over === undefined) return false;
    await stream.send(frameOf('gone', feed.over));
    stream.end();
    return false;
  };
  const start = async () => {
    const continues = await feed.continues(after);
    await stream.send(frameOf('hello', { seq: feed.fold.seq, after: after.seq }));
    if (!continues) {
      await stream.send(frameOf('gone', restored));
      return stream.end();
    }
    const listening = feed.listen((changed) => {
      if (changed !== 'fact' && changed !== 'over') waiting.add(changed);
      pump().catch(() => stream.end());
    });
    stream.onClose(() => listening[Symbol.dispose]());
    await pump();
  };
  start().catch(() => stream.end());
}
