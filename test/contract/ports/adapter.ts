import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommandBus, EventBus, LoopStore, PulseBus, PulseSink } from '../../../src/runner/index.ts';

/** A place that stores loops, and its failures. Every adapter of the ports is tested through this interface. */
export interface LoopPlaceUnderTest extends AsyncDisposable {
  /** Starts another process that works on the same loops. */
  startProcess(): ProcessUnderTest;
  /** Fills up the storage, or frees space; noticed at the next write at the latest. */
  setFull(isFull: boolean): void;
}

/** One process that uses the place. */
export interface ProcessUnderTest {
  readonly store: LoopStore;
  readonly commands: CommandBus;
  readonly events: EventBus;
  readonly pulses: PulseBus;
  /** Where it publishes the pulses of a loop that it owns. */
  sinkOf(loopId: string): PulseSink;
  /** From now on the process counts as dead, although its objects can still be called. */
  kill(): void;
}

/** Creates an empty place. */
export type CreatePlace = () => Promise<LoopPlaceUnderTest>;

/** A guarantee that every adapter of a port must keep. */
export interface PortPromise {
  readonly title: string;
  /** Rejects when a place breaks the guarantee. */
  readonly check: (place: LoopPlaceUnderTest) => Promise<void>;
}

export function promise(title: string, check: PortPromise['check']): PortPromise {
  return { title, check };
}

/** Tests that an adapter keeps all guarantees of a port. */
export function describePort(name: string, promises: readonly PortPromise[], createPlace: CreatePlace): void {
  describe(name, () => {
    test.each(promises)('$title', async ({ check }) => {
      const place = await createPlace();
      onTestFinished(async () => await place[Symbol.asyncDispose]());
      await expect(check(place)).resolves.toBeUndefined();
    });
  });
}
