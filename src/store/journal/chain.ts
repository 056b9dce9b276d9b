import type { Head } from './head.ts';
import type { Position } from './position.ts';
import { isOlder } from './segment-name.ts';

/** The segments that belong together, oldest first, found by following first lines back from the newest. */
export interface Chain {
  readonly heads: readonly Head[];
  /** Segments at the end whose first line is not sound: cut off while being made, or damaged. */
  readonly headless: readonly string[];
  /** Where a segment in the middle is missing or has no sound first line, with the later segments that need it. */
  readonly gaps: readonly Gap[];
}

/** A segment that cannot be followed back through, and those that are lost with it. */
export interface Gap {
  readonly at: string;
  readonly lost: readonly string[];
}

/** Finds one segment's first line; undefined when it is missing or not sound. */
export type FindHead = (segment: string) => Head | undefined;

/**
 * Finds the newest unbroken chain, back to the beginning or to the segment of `from`; `off_chain` if the journal
 * continued without the segment of `from`.
 */
export function findChain(names: readonly string[], findHead: FindHead, from?: Position): Chain | 'off_chain' {
  const headless: string[] = [];
  const gaps: Gap[] = [];
  let rest = names;
  for (let newest = rest.at(-1); newest !== undefined; newest = rest.at(-1)) {
    const walked = walkBack(newest, findHead, from);
    if (walked === 'off_chain') return walked;
    if (Array.isArray(walked)) return { heads: walked, headless, gaps };
    const { stuckAt } = walked;
    if (stuckAt === newest) headless.push(stuckAt);
    else gaps.push({ at: stuckAt, lost: rest.filter((name) => isOlder(stuckAt, name)) });
    rest = rest.filter((name) => isOlder(name, stuckAt));
  }
  return { heads: [], headless, gaps };
}

function walkBack(
  newest: string,
  findHead: FindHead,
  from: Position | undefined,
): Head[] | 'off_chain' | { readonly stuckAt: string } {
  const heads: Head[] = [];
  for (let segment = newest; ; ) {
    if (segment === from?.segment) return [{ segment, previous: null }, ...heads.reverse()];
    if (from && isOlder(segment, from.segment)) return 'off_chain';
    const head = findHead(segment);
    if (!head) return { stuckAt: segment };
    heads.push(head);
    if (head.previous === null) return from ? 'off_chain' : heads.reverse();
    if (!isOlder(head.previous.segment, segment)) return { stuckAt: segment };
    segment = head.previous.segment;
  }
}
