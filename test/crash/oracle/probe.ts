import { createMemoryLock } from '../../../src/store/testing/memory-lock.ts';
import type { Image } from '../disk/image.ts';
import { createImageDisk } from '../disk/image-disk.ts';
import type { Subject } from './subject.ts';
import { documentOf, factsOf, fold, iterationOf, loopId, storeOn } from './world.ts';

/** What recovery made of an image. */
export interface Outcome {
  /** The code of the refusal, when the loop could not be had. */
  readonly refusal?: string;
  readonly numbers: readonly number[];
  /** The number of the snapshot in use, 0 for none. */
  readonly snapshot: number;
  readonly problems: readonly string[];
  /** What recovery got wrong whatever was acknowledged: it differs the second time, cannot go on, leaks. */
  readonly faults: readonly string[];
}

/** A fact that no scenario uses. */
const fresh = 1_000_000;

/** Runs the real recovery on an image: read it, open it, die, open it again, go on, die, read it again. */
export function probe(subject: Subject, image: Image): Outcome {
  const disk = createImageDisk(image);
  const lock = createMemoryLock();
  const store = storeOn(subject, { files: disk, lock });
  try {
    const seen = store.read(loopId);
    const faults: string[] = [];
    if (disk.openFiles() > 0) faults.push('reading leaves descriptors open');
    const numbers = fold(seen);
    const problems = seen.problems.map((problem) => problem.kind);
    const once = store.open(loopId).recovered;
    if (!isSame(fold(once), numbers)) faults.push(`opening shows ${fold(once).join()}, reading ${numbers.join()}`);
    if (once.problems.length !== problems.length) faults.push('opening reports other problems than reading');
    lock.freeAll();
    const again = store.open(loopId);
    if (!isSame(fold(again.recovered), numbers)) faults.push(`opening twice shows ${fold(again.recovered).join()}`);
    faults.push(...goOn(() => again.append(factsOf([fresh])), 'append'));
    lock.freeAll();
    const after = store.read(loopId);
    if (!isSame(fold(after), [...numbers, fresh])) faults.push(`after one more fact it shows ${fold(after).join()}`);
    faults.push(...goOn(() => again.writeSnapshot(documentOf(fresh, [...numbers, fresh])), 'write a snapshot'));
    const last = store.read(loopId);
    if (!isSame(fold(last), [...numbers, fresh])) faults.push(`after a snapshot it shows ${fold(last).join()}`);
    if (iterationOf(last.snapshot) !== fresh) faults.push('a new snapshot is not used');
    return { numbers, snapshot: iterationOf(seen.snapshot), problems, faults };
  } catch (error) {
    lock.freeAll();
    const refusal = codeOf(error);
    if (refusal === undefined) return { ...nothing, faults: [`not one of our failures: ${String(error)}`] };
    if (refusal !== 'LOOP_NOT_FOUND') return { ...nothing, refusal };
    const made = goOn(() => {
      store.create(loopId).append(factsOf([fresh]));
      if (!isSame(fold(store.read(loopId)), [fresh])) throw new Error('a new loop shows other facts');
    }, 'be made');
    return { ...nothing, refusal, faults: made };
  }
}

/** The permanent code of one of our failures; undefined for anything else. Works across copies of the module. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'LoopError' || !('failure' in error)) return undefined;
  const { code } = error.failure as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Whether two lists of facts are the same. */
export function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((number, index) => number === right[index]);
}

const nothing: Outcome = { numbers: [], snapshot: 0, problems: [], faults: [] };

function goOn(step: () => void, what: string): readonly string[] {
  try {
    step();
    return [];
  } catch (error) {
    return [`the loop cannot ${what}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
