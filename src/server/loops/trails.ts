import { type LoopStatus, type LoopTrail, openTrail } from '../../app/index.ts';
import { type IterationSign, isTerminal } from '../../core/index.ts';
import type { ServedProject } from './projects.ts';

/** The newest iterations of many loops, each read once, and then only what is new. */
export interface Trails {
  /** What is known of a loop; what has to be read for it comes later, and is announced. */
  of(key: string, status: LoopStatus, served: ServedProject): readonly IterationSign[];
  /** Forgets the loops that are gone. */
  keep(keys: ReadonlySet<string>): void;
}

const count = 15;

interface Known {
  seq: number;
  signs: readonly IterationSign[];
  trail?: LoopTrail;
}

/** Reads trails in the background, one at a time: the list does not wait for them. */
export function createTrails(onRead: () => void): Trails {
  const known = new Map<string, Known>();
  const queue = new Map<string, () => void>();
  let timer: NodeJS.Immediate | undefined;
  const readNext = () => {
    timer = undefined;
    const [first] = queue;
    if (first === undefined) return onRead();
    queue.delete(first[0]);
    first[1]();
    timer = setImmediate(readNext);
  };
  const enqueue = (key: string, read: () => void) => {
    queue.set(key, read);
    timer ??= setImmediate(readNext);
  };
  return {
    of(key, { view, lastSeq }, { place }) {
      const before: Known = known.get(key) ?? { seq: -1, signs: [] };
      known.set(key, before);
      if (before.seq === lastSeq) return before.signs;
      const isOver = isTerminal(view.status);
      const read = () => {
        const trail = before.trail ?? openTrail(place, view.id, { lastSeq, count });
        before.signs = trail.read();
        before.seq = lastSeq;
        // A loop that has ended is not read again.
        if (isOver) delete before.trail;
        else before.trail = trail;
      };
      // A trail that is open costs next to nothing.
      if (before.trail === undefined) enqueue(key, read);
      else read();
      return before.signs;
    },
    keep(keys) {
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
      for (const key of queue.keys()) if (!keys.has(key)) queue.delete(key);
    },
  };
}
