import { fstatSync, read } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Spool, type Stream, streamNames } from './spool.ts';

/** Receives what an agent printed, piece by piece and in order; the bytes are valid only during the call. */
export type OutputListener = (chunk: Uint8Array, stream: Stream) => void;

/** A reader that follows the outputs. */
export interface Follower {
  /** Reads what is still unread and stops. */
  readonly finish: () => Promise<void>;
}

const chunkBytes = 64 * 1024;
const pollEveryMs = 100;
const readAt = promisify(read);
/** Of followers that have finished: a new one for each run would fill the memory until it is collected. */
const spareBuffers: Buffer[] = [];
const maxSpareBuffers = 4;

/** Follows the outputs as they grow, in memory of a fixed size. The agent never waits for it. */
export function followSpool({ files }: Spool, listener: OutputListener): Follower {
  let buffer: Buffer | undefined;
  const positions: Record<Stream, number> = { stdout: 0, stderr: 0 };
  const stopped = new AbortController();

  const readOn = async (stream: Stream) => {
    while (positions[stream] < fstatSync(files[stream]).size) {
      buffer ??= spareBuffers.pop() ?? Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await readAt(files[stream], buffer, 0, buffer.length, positions[stream]);
      if (bytesRead === 0) return;
      positions[stream] += bytesRead;
      listener(buffer.subarray(0, bytesRead), stream);
    }
  };
  const readAll = async () => {
    for (const stream of streamNames) await readOn(stream);
  };
  const follow = async () => {
    while (!stopped.signal.aborted) {
      await readAll();
      await delay(pollEveryMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
    await readAll();
  };
  const following = follow();
  // The error of a failing listener reaches the caller that awaits the end; until then it is unhandled.
  following.catch(() => {});
  return {
    finish: async () => {
      stopped.abort();
      await following;
      if (buffer !== undefined && spareBuffers.length < maxSpareBuffers) spareBuffers.push(buffer);
      buffer = undefined;
    },
  };
}
