import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommandBus, EventBus, LoopStore, PulseBus, PulseSink } from '../../../src/runner/index.ts';

/** A place where loops live, with what befalls it from outside. Every adapter of the ports is tested through this. */
export interface LoopPlaceUnderTest extends AsyncDisposable {
  /** Another process that works on the same loops. */
  startProcess(): ProcessUnderTest;
  /** Lets the place run full, or makes room again; noticed at the next thing that is written, if not before. */
  setFull(isFull: boolean): void;
}

/** One process on a place. */
export interface ProcessUnderTest {
  readonly store: LoopStore;
  readonly commands: CommandBus;
  readonly events: EventBus;
  readonly pulses: PulseBus;
  /** Where it shows what it is doing with a loop that it owns. */
  sinkOf(loopId: string): PulseSink;
  /** Everybody takes the process for dead from now on, although what it holds can still be called. */
  kill(): void;
}

/** Makes an empty place. */
export type CreatePlace = () => Promise<LoopPlaceUnderTest>;

/** Something that every adapter of a port promises. */
export interface PortPromise {
  readonly title: string;
  /** Rejects when a place does not keep it. */
  readonly check: (place: LoopPlaceUnderTest) => Promise<void>;
}

/** Names a promise. */
export function promise(title: string, check: PortPromise['check']): PortPromise {
  return { title, check };
}

/** Tests that an adapter keeps all promises of a port. */
export function describePort(name: string, promises: readonly PortPromise[], createPlace: CreatePlace): void {
  describe(name, () => {
    test.each(promises)('$title', async ({ check }) => {
      const place = await createPlace();
      onTestFinished(async () => await place[Symbol.asyncDispose]());
      await expect(check(place)).resolves.toBeUndefined();
    });
  });
}
