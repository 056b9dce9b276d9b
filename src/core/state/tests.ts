import type { TestCounts } from '../../protocol/index.ts';

/** The results of something in the newest runs that reported it: `p` passed, `f` failed, newest last. */
export interface Remembered {
  readonly name: string;
  readonly results: string;
}

/** A test that has failed at least once, and its results since. */
export interface RememberedTest extends Remembered {
  /** Its file, if a report named it. */
  readonly file?: string;
  /** How often it passed and failed in total; snapshots of the first releases have only the results. */
  readonly passes?: number;
  readonly failures?: number;
  /** The error of its last failure; kept for tests that failed recently. */
  readonly error?: string;
  /** The newest run did not report its result. */
  readonly untold?: true;
}

/** The results of ralphd's own runs of the tests. */
export interface TestState {
  /** The newest run with test counts. */
  readonly latest?: TestCounts;
  readonly memory: readonly RememberedTest[];
  /** The same for the checks of the gate. */
  readonly checkMemory: readonly Remembered[];
}

/** No test has run. */
export const noTests: TestState = { memory: [], checkMemory: [] };
