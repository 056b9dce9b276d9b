import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { systemError, watchFiles } from '../files/testing/faulty-files.ts';
import { createMemoryFiles, type MemoryFiles } from '../files/testing/memory-files.ts';
import type { OpenLoop } from './open-loop.ts';
import { createMemoryLock } from './testing/memory-lock.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from './testing/stores.ts';

type Step =
  | { readonly do: 'append'; readonly count: number }
  | { readonly do: 'snapshot' }
  | { readonly do: 'reopen' }
  /** One call to the disk fails, soon. */
  | { readonly do: 'hiccup'; readonly after: number; readonly code: string }
  /** The process dies at some call; the machine lives on, with what was not synced still in its memory. */
  | { readonly do: 'kill'; readonly after: number }
  /** From some call on nothing happens any more; then the power goes, and what was not synced may be lost. */
  | { readonly do: 'die'; readonly after: number; readonly seed: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  fc.record({ do: fc.constant('snapshot' as const) }),
  fc.record({ do: fc.constant('reopen' as const) }),
  fc.record({
    do: fc.constant('hiccup' as const),
    after: fc.nat({ max: 12 }),
    code: fc.constantFrom('EIO', 'ENOSPC', 'EROFS', 'EACCES', 'EMFILE'),
  }),
  fc.record({ do: fc.constant('kill' as const), after: fc.nat({ max: 45 }) }),
  fc.record({ do: fc.constant('die' as const), after: fc.nat({ max: 45 }), seed: fc.nat() }),
);

/** One machine with one loop, and what was acknowledged to its user. */
class Machine {
  disk: MemoryFiles = createMemoryFiles();
  lock = createMemoryLock();
  loop: OpenLoop | undefined;
  /** The facts that were acknowledged. */
  acknowledged: number[] = [];
  /** Batches that were refused since the last acknowledgement: a beginning of one of them may have got through. */
  refused: number[][] = [];
  failing: { after: number; readonly code: string; readonly forGood: boolean } | undefined;
  #next = 0;

  open(): void {
    const files = watchFiles(this.disk, () => this.#meetFailure());
    const store = storeIn('/', { files, lock: this.lock, segmentBytes: 900 });
    this.loop = store.list().length > 0 ? store.open(loopId) : store.create(loopId);
    this.#check(this.loop);
  }

  append(count: number): void {
    const batch = Array.from({ length: count }, () => this.#next++);
    const isAcknowledged = attempt(() => this.loop?.append(factsOf(...batch)));
    if (!isAcknowledged) this.refused.push(batch);
    else {
      this.acknowledged.push(...batch);
      this.refused = [];
    }
  }

  snapshot(): void {
    const ralphd = { numbers: [...this.acknowledged] };
    attempt(() => this.loop?.writeSnapshot({ ...documentOf(1), ralphd }));
  }

  /** Works on until call number `after` and dies there, perhaps while opening the loop. */
  kill(after: number): void {
    this.failing = { after, code: 'EIO', forGood: true };
    if (this.loop) {
      this.append(2);
      this.snapshot();
      this.append(1);
      attempt(() => this.loop?.close());
      this.lock.freeAll();
    }
    attempt(() => this.open());
    this.failing = undefined;
    this.lock.freeAll();
  }

  powerCut(seed: number): void {
    this.lock.freeAll();
    this.disk = this.disk.afterPowerCut(chooser(seed));
  }

  #check(loop: OpenLoop): void {
    const { snapshot, entries, problems } = loop.recovered;
    const ralphd = (snapshot?.ralphd ?? {}) as { numbers?: number[] };
    const numbers = [...(ralphd.numbers ?? []), ...(numbersOf(entries) as number[])];
    expect(numbers.slice(0, this.acknowledged.length)).toEqual(this.acknowledged);
    const more = numbers.slice(this.acknowledged.length);
    const beginnings = this.refused.map((batch) => batch.slice(0, more.length));
    if (more.length > 0) expect(beginnings).toContainEqual(more);
    expect(problems.filter(({ kind }) => !['torn_tail', 'ignored_bytes', 'stale_segment'].includes(kind))).toEqual([]);
    this.acknowledged = numbers;
    this.refused = [];
  }

  #meetFailure(): void {
    const { failing } = this;
    if (!failing) return;
    if (failing.after > 0) failing.after -= 1;
    else {
      if (!failing.forGood) this.failing = undefined;
      throw systemError(failing.code);
    }
  }
}

test('A130, A141: after any appends, failures, crashes and recoveries exactly the acknowledged facts are there', () => {
  fc.assert(
    fc.property(fc.nat({ max: 60 }), fc.array(step, { maxLength: 25 }), fc.nat(), (firstKill, steps, seed) => {
      const machine = new Machine();
      machine.kill(firstKill);
      machine.open();
      for (const now of steps) perform(machine, now);
      machine.failing = undefined;
      machine.powerCut(seed);
      machine.open();
    }),
    { numRuns: 400 },
  );
});

function perform(machine: Machine, now: Step): void {
  switch (now.do) {
    case 'append':
      return machine.append(now.count);
    case 'snapshot':
      return machine.snapshot();
    case 'hiccup':
      machine.failing = { after: now.after, code: now.code, forGood: false };
      return;
    case 'reopen':
      attempt(() => machine.loop?.close());
      if (!attempt(() => machine.open())) {
        machine.failing = undefined;
        machine.open();
      }
      return;
    case 'kill':
      machine.kill(now.after);
      return machine.open();
    case 'die':
      machine.kill(now.after);
      machine.powerCut(now.seed);
      return machine.open();
  }
}

// A refusal must be one of ours; anything else, failed expectations too, ends the test.
function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (error instanceof LoopError) return false;
    throw error;
  }
}

function chooser(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % (most + 1);
  };
}
