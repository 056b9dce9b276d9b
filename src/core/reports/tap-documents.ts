import type { TapPoint } from './tap-tree.ts';

const maxQuoted = 10_000;

interface Document {
  planned: number | undefined;
  /** The number of top-level points, and below it the number that the last one had. */
  points: number;
  last: number;
}

/**
 * Separates one TAP document from the next, and from one that a test printed in the middle of another: after it, the
 * outer one continues with its own next number.
 */
export function createTapDocuments(place: (point: TapPoint) => void) {
  let outer = emptyDocument();
  let inner: Document | undefined;
  let waiting: TapPoint[] = [];

  const settleInner = () => {
    for (const point of waiting) place(point);
    waiting = [];
  };

  /** A line announces a new document. */
  const start = (): void => {
    if (inner !== undefined) return;
    if (outer.points > 0 && !isComplete(outer)) inner = emptyDocument();
    else outer = emptyDocument();
  };

  const plan = (planned: number): void => {
    const isOfOuter = inner === undefined || (inner.planned !== undefined && planned === outer.last);
    if (isOfOuter) {
      inner = undefined;
      waiting = [];
      if (outer.planned !== undefined && isComplete(outer)) outer = emptyDocument();
      outer.planned = planned;
    } else if (inner !== undefined) inner.planned = planned;
  };

  const take = (point: TapPoint, printed: string | undefined): void => {
    const number = Number(printed ?? Number.NaN);
    const goesOn = point.indent === 0 && number === outer.last + 1;
    if (inner !== undefined && goesOn && number !== inner.last + 1) {
      inner = undefined;
      waiting = [];
    }
    if (point.indent === 0) count(inner ?? outer, number);
    if (inner === undefined) place(point);
    else if (waiting.length < maxQuoted) waiting.push(point);
  };

  /** Whether every document had all of its planned points. */
  const finish = (): boolean => {
    settleInner();
    return isComplete(outer) && inner === undefined;
  };
  return { start, plan, take, finish };
}

function emptyDocument(): Document {
  return { planned: undefined, points: 0, last: 0 };
}

function isComplete({ planned, points }: Document): boolean {
  return planned !== undefined && points >= planned;
}

function count(document: Document, number: number): void {
  document.points += 1;
  document.last = Number.isNaN(number) ? document.last + 1 : number;
}
