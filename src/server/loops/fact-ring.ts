import type { Frame } from '../http/event-stream.ts';

/** The newest facts of a loop as they are sent, so that readers who keep up need no disk. */
export interface FactRing {
  add(seq: number, frame: Frame): void;
  /** What comes after a number, a part at a time; undefined if that is no longer here. */
  after(seq: number): { readonly frames: string; readonly seq: number } | undefined;
}

const maxFrames = 1_000;
const maxBytes = 1024 * 1024;
const partBytes = 64 * 1024;

/** Begins after a fact. */
export function createFactRing(startSeq: number): FactRing {
  let entries: { readonly seq: number; readonly frame: Frame }[] = [];
  let before = startSeq;
  let bytes = 0;
  return {
    add(seq, frame) {
      entries.push({ seq, frame });
      bytes += frame.length;
      if (entries.length <= maxFrames && bytes <= maxBytes) return;
      // Half of it at once, so that this happens rarely.
      const dropped = entries.slice(0, Math.ceil(entries.length / 2));
      entries = entries.slice(dropped.length);
      bytes -= dropped.reduce((sum, each) => sum + each.frame.length, 0);
      before = dropped.at(-1)?.seq ?? before;
    },
    after(seq) {
      if (seq < before) return undefined;
      let frames = '';
      let last = seq;
      for (const entry of entries) {
        if (entry.seq <= seq) continue;
        frames += entry.frame;
        last = entry.seq;
        if (frames.length > partBytes) break;
      }
      return { frames, seq: last };
    },
  };
}
