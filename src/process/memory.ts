import type { ProcessRow } from './process-row.ts';
import { processTable } from './table.ts';
import type { ProcessTree } from './tree.ts';

/** How much memory an agent and everything it started used, and the largest of these processes. */
export interface MemoryUse {
  readonly bytes: number;
  readonly largest: { readonly pid: number; readonly name: string; readonly bytes: number };
}

/** Measures the memory of an agent. */
export interface MemoryMeter {
  /** Whether it is over the bound; measured anew unless the last measurement took too long to repeat it so soon. */
  readonly isOver: () => boolean;
  /** The highest use that was measured. */
  readonly peak: () => MemoryUse | undefined;
}

/** Whose memory is measured; `now` is a clock that never jumps. */
export interface MemorySources {
  readonly tree: Pick<ProcessTree, 'known'>;
  /** Finds what carries the agent's marker. */
  readonly findMarked: () => readonly ProcessRow[];
  readonly maxBytes: number;
  readonly now: () => number;
}

// Searching for the marker reads every process: it never costs more than this share of one processor.
const maxCostShare = 0.05;

/** Watches the processes below the agent and those that only its marker still connects with it. */
export function createMemoryMeter({ tree, findMarked, maxBytes, now }: MemorySources): MemoryMeter {
  let peak: MemoryUse | undefined;
  let isOver = false;
  let nextAt = -Infinity;
  const measure = () => {
    const rows = [...new Map([...tree.known(), ...findMarked()].map((row) => [row.pid, row])).values()];
    const use = memoryOf(rows, maxBytes);
    if (use === undefined) return false;
    if (use.bytes > (peak?.bytes ?? 0)) peak = use;
    return use.bytes > maxBytes;
  };
  return {
    isOver: () => {
      const startedAt = now();
      if (startedAt < nextAt) return isOver;
      isOver = measure();
      const endedAt = now();
      nextAt = endedAt + (endedAt - startedAt) / maxCostShare;
      return isOver;
    },
    peak: () => peak,
  };
}

/** Memory that processes share is counted once: only above the bound, because finding out takes the system longer. */
function memoryOf(rows: readonly ProcessRow[], maxBytes: number): MemoryUse | undefined {
  const simple = sumOf(rows.map((row) => ({ row, bytes: row.memoryBytes })));
  if (simple === undefined || simple.bytes <= maxBytes) return simple;
  return sumOf(rows.map((row) => ({ row, bytes: processTable.ownMemory(row.pid) ?? row.memoryBytes })));
}

function sumOf(parts: readonly { readonly row: ProcessRow; readonly bytes: number }[]): MemoryUse | undefined {
  const [largest] = parts.toSorted((one, other) => other.bytes - one.bytes);
  if (largest === undefined) return undefined;
  const { pid, name } = largest.row;
  return { bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), largest: { pid, name, bytes: largest.bytes } };
}
