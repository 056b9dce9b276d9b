import type { LoopFolders } from '../../../src/store/index.ts';
import { createMemoryLock } from '../../../src/store/testing/memory-lock.ts';
import type { Image } from '../disk/image.ts';
import { createImageDisk, type ImageDisk } from '../disk/image-disk.ts';
import { registryFile, rewriteRegistry } from './registry.ts';
import type { Subject } from './subject.ts';
import { documentOf, factsOf, fold, iterationOf, loopId, storeOn } from './world.ts';

/** The result of recovering an image. */
export interface Outcome {
  /** The code of the error, when the loop could not be opened. */
  readonly refusal?: string;
  readonly numbers: readonly number[];
  /** The number of the snapshot in use, 0 for none. */
  readonly snapshot: number;
  readonly problems: readonly string[];
  /**
   * What recovery did wrong, independent of what was acknowledged: a different second result, a loop that cannot
   * continue, leaked descriptors.
   */
  readonly faults: readonly string[];
}

/** A fact that no scenario uses. */
const fresh = 1_000_000;

/**
 * Runs the real recovery on an image: read, open, die, open again, continue, die, read again. With `isThorough`, the
 * second owner also writes a snapshot, which is read back.
 */
export function probe(subject: Subject, image: Image, isThorough = true): Outcome {
  const disk = createImageDisk(image);
  const lock = createMemoryLock();
  const store = storeOn(subject, { files: disk, lock });
  try {
    return recovered({ subject, disk, lock, store, isThorough });
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

function recovered({ subject, disk, lock, store, isThorough }: Bench): Outcome {
  const faults: string[] = [];
  const expectFacts = (found: Parameters<typeof fold>[0], wanted: readonly number[], when: string) => {
    const numbers = fold(found);
    if (!isSame(numbers, wanted)) faults.push(`${when} it shows ${numbers.join()} instead of ${wanted.join()}`);
  };
  // Only an owner can use the mirror of a guarded loop; a reader after it must find the loop fully restored.
  const found = subject.mirrorRoot === undefined ? store.read(loopId) : store.open(loopId).recovered;
  if (subject.mirrorRoot === undefined && disk.openFiles() > 0) faults.push('reading leaves descriptors open');
  const numbers = fold(found);
  const problems = found.problems.map((problem) => problem.kind);
  lock.freeAll();
  const once = subject.mirrorRoot === undefined ? store.open(loopId).recovered : store.read(loopId);
  expectFacts(once, numbers, 'opened');
  if (subject.mirrorRoot === undefined && once.problems.length !== problems.length)
    faults.push('opening reports other problems than reading');
  lock.freeAll();
  const reopened = store.open(loopId);
  expectFacts(reopened.recovered, numbers, 'opened twice');
  const more = [...numbers, fresh];
  faults.push(...goOn(() => reopened.append(factsOf([fresh])), 'append'));
  expectFacts(store.read(loopId), more, 'after one more fact');
  if (isThorough) {
    faults.push(...goOn(() => reopened.writeSnapshot(documentOf(fresh, more)), 'write a snapshot'));
    const last = store.read(loopId);
    expectFacts(last, more, 'after a snapshot');
    if (iterationOf(last.snapshot) !== fresh) faults.push('a new snapshot is not used');
  }
  reopened.close();
  if (disk.look(registryFile)) faults.push(...goOn(() => rewriteRegistry(subject, { files: disk, lock }), registry));
  return { numbers, snapshot: iterationOf(found.snapshot), problems, faults };
}

interface Bench {
  readonly subject: Subject;
  readonly disk: ImageDisk;
  readonly lock: ReturnType<typeof createMemoryLock>;
  readonly store: LoopFolders;
  readonly isThorough: boolean;
}

/** The permanent code of one of our failures; undefined for anything else. Works across copies of the module. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'LoopError' || !('failure' in error)) return undefined;
  const { code } = error.failure as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Whether two lists of facts are equal. */
export function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((number, index) => number === right[index]);
}

const registry = 'have its registry made anew';

const nothing: Outcome = { numbers: [], snapshot: 0, problems: [], faults: [] };

function goOn(step: () => void, what: string): readonly string[] {
  try {
    step();
    return [];
  } catch (error) {
    return [`the loop cannot ${what}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
