import type { ProcessRow } from './process-row.ts';
import { isRunning, processTable } from './table.ts';

/** An agent and every process ever found below it, wherever it moved and whatever it did to its environment. */
export interface ProcessTree {
  /** Reads which processes there are now, unless the last refresh took too long to repeat it so soon. */
  readonly refresh: () => void;
  /** Processor time that was used since the first refresh. */
  readonly cpuMs: () => number;
  /** Those that ran at the last refresh. */
  readonly known: () => readonly ProcessRow[];
  /** Those that still run. */
  readonly running: () => readonly ProcessRow[];
}

type Key = Pick<ProcessRow, 'pid' | 'startTime'>;

// On a machine with many processes a refresh takes long: it never costs more than this share of one processor.
const maxCostShare = 0.05;

/** Watches the tree below a process; `now` is a clock that never jumps, `find` finds all processes that may be in it. */
export function createTree(
  root: Key,
  now: () => number,
  find: () => readonly ProcessRow[] = processTable.all,
): ProcessTree {
  let known = new Map<number, ProcessRow>();
  let usedMs = 0;
  let nextRefreshAt = -Infinity;

  const refresh = () => {
    const startedAt = now();
    if (startedAt < nextRefreshAt) return;
    const rows = find();
    const found = below(root, known, rows);
    for (const row of found.values()) usedMs += Math.max(0, row.cpuMs - (sameIn(known, row)?.cpuMs ?? 0));
    known = found;
    const endedAt = now();
    nextRefreshAt = endedAt + (endedAt - startedAt) / maxCostShare;
  };

  return {
    refresh,
    cpuMs: () => usedMs,
    known: () => [...known.values()],
    running: () => [...known.values()].filter(isRunning),
  };
}

/** The processes that are the root, were found before, are in the root's group, or descend from one of these. */
function below(root: Key, before: ReadonlyMap<number, ProcessRow>, rows: readonly ProcessRow[]) {
  const children = Map.groupBy(rows, (row) => row.parentId);
  const isRoot = (row: ProcessRow) => row.pid === root.pid && row.startTime === root.startTime;
  const isRootThere = rows.some(isRoot);
  const isOurs = (row: ProcessRow) =>
    isRoot(row) || sameIn(before, row) !== undefined || (isRootThere && row.groupId === root.pid);
  const found = new Map<number, ProcessRow>();
  const queue = rows.filter((row) => !row.zombie && isOurs(row));
  for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
    if (found.has(row.pid)) continue;
    found.set(row.pid, row);
    queue.push(...(children.get(row.pid) ?? []).filter((child) => !child.zombie));
  }
  return found;
}

function sameIn(rows: ReadonlyMap<number, ProcessRow>, { pid, startTime }: ProcessRow): ProcessRow | undefined {
  const row = rows.get(pid);
  return row?.startTime === startTime ? row : undefined;
}
