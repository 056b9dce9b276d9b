import { createFakeClock } from '../../../src/runner/testing/fake-clock.ts';
import { MemoryLoops } from '../../../src/runner/testing/memory-loops.ts';
import type { LoopPlaceUnderTest } from './adapter.ts';

/** Loops in memory, shared by all processes. */
export async function createMemoryPlace(): Promise<LoopPlaceUnderTest> {
  const loops = new MemoryLoops({ clock: createFakeClock(Date.UTC(2026, 0, 1)) });
  const trouble = { code: 'DISK_FULL', message: 'The disk is full. Free some space.' } as const;
  return {
    startProcess: () => loops.startProcess(),
    setFull: (isFull) => loops.setTrouble(isFull ? trouble : undefined),
    [Symbol.asyncDispose]: async () => {},
  };
}
