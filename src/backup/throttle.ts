import type { BackupTarget } from './target.ts';

/** Waits, or ends early with the signal. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const smallestPartBytes = 64 * 1024;
const usualPartBytes = 8 * 1024 * 1024;

/** A target that gets at most so many bytes per second, averaged over a few seconds. */
export function throttle(target: BackupTarget, bytesPerSecond: number, wait: Wait): BackupTarget {
  return {
    ...target,
    async create(name, bytes, signal) {
      const isNew = await target.create(name, bytes, signal);
      await wait((bytes.byteLength / bytesPerSecond) * 1000, signal);
      return isNew;
    },
  };
}

/** How much goes into one object: no more than a second's worth, because one object is sent at full speed. */
export function partBytesFor(bytesPerSecond: number | undefined): number {
  return Math.min(usualPartBytes, Math.max(smallestPartBytes, bytesPerSecond ?? usualPartBytes));
}
