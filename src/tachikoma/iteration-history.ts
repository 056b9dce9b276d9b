import { openDocumentFile } from '../app/index.ts';
import { LoopError as RalphdError, tailText } from '../base/index.ts';
import { failureStreak } from '../core/index.ts';
import { readTachikomaHistory, type TachikomaIteration } from '../formats/index.ts';
import { inTheirWords } from './errors.ts';
import { Iteration } from './iteration.ts';

/** How much of the output of an iteration a history keeps. */
const maxOutputLength = 16_000;

/** What a history keeps. */
export interface HistoryConfig {
  /** How many iterations stay in memory. Default: 100. */
  maxInMemory: number;
  /** Whether it is kept on disk. Default: true. */
  persist: boolean;
  /** The file; without one nothing is written or read. */
  persistPath?: string;
}

/** The default history. */
export const HistoryConfig = {
  /** A new configuration with the defaults. */
  default: (): HistoryConfig => ({ maxInMemory: 100, persist: true }),
} as const;

/** Totals over all iterations, including those no longer in memory. */
export interface HistorySummary {
  /** Iterations. */
  totalIterations: number;
  /** Those that completed. */
  successfulIterations: number;
  /** Those that failed. */
  failedIterations: number;
  /** Those that took too long. */
  timedOutIterations: number;
  /** How long they took together. */
  totalDurationMs: number;
  /** Modified files, summed over iterations. */
  totalFilesModified: number;
  /** Created files, summed over iterations. */
  totalFilesCreated: number;
  /** Tests that ran, summed over iterations. */
  totalTestsRun: number;
  /** Tests that passed, summed over iterations. */
  totalTestsPassed: number;
  /** Tests that failed, summed over iterations. */
  totalTestsFailed: number;
}

/**
 * The iterations of a loop: the newest in memory, all of them in the file. Of long output only the end is kept. Iterations
 * that are returned are copies.
 */
export class IterationHistory {
  readonly #config: HistoryConfig;
  #iterations: Iteration[] = [];
  #summary = emptySummary();
  /** Iterations that are no longer in memory and not in the file yet. */
  #unsaved: Iteration[] = [];

  /** @param config what is kept, and where. */
  constructor(config: HistoryConfig) {
    this.#config = { ...config };
  }

  /** Adds an iteration; the oldest beyond the maximum leaves the memory. */
  add(iteration: Iteration): void {
    const own = copyOf(iteration);
    this.#summary = withIteration(this.#summary, own);
    this.#iterations.push(own);
    const dropped = this.#iterations.splice(0, Math.max(0, this.#iterations.length - this.#config.maxInMemory));
    if (this.#path !== undefined) this.#unsaved.push(...dropped);
  }

  /** The newest iterations, newest first. */
  getLast(count: number): Iteration[] {
    return count <= 0 ? [] : this.#iterations.slice(-count).reverse().map(copyOf);
  }

  /** One iteration by its number. */
  get(number: number): Iteration | undefined {
    const found = this.#iterations.findLast((iteration) => iteration.number === number);
    return found === undefined ? undefined : copyOf(found);
  }

  /** The totals. */
  getSummary(): HistorySummary {
    return { ...this.#summary };
  }

  /** The iterations for which something holds, oldest first. */
  filter(predicate: (iteration: Iteration) => boolean): Iteration[] {
    return this.#iterations.map(copyOf).filter(predicate);
  }

  /** Failed and timed-out iterations backwards to the last completed one; others neither count nor end the streak. */
  getFailureStreak(): number {
    return failureStreak({ records: this.#iterations });
  }

  /** Writes all iterations to the file, completely or not at all. Those in it that left the memory stay in it. */
  async persist(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    const file = openDocumentFile(path);
    inOurWords(path, () => {
      const recent = [...this.#unsaved, ...this.#iterations].map((iteration) => iteration.toJSON());
      const numbers = new Set(recent.map(({ number }) => number));
      const older = storedIn(file.read(), path).filter(({ number }) => !numbers.has(number));
      file.write(`${JSON.stringify([...older, ...recent], undefined, 2)}\n`);
      this.#unsaved = [];
    });
  }

  /** Reads the file and counts the totals again. A missing file is no error; a damaged one is refused and left alone. */
  async load(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    inOurWords(path, () => {
      const text = openDocumentFile(path).read();
      if (text === undefined) return;
      const loaded = storedIn(text, path).map(Iteration.fromJSON);
      this.#summary = loaded.reduce(withIteration, emptySummary());
      this.#iterations = loaded.slice(-Math.max(1, this.#config.maxInMemory));
      this.#unsaved = [];
    });
  }

  get #path(): string | undefined {
    return this.#config.persist ? this.#config.persistPath : undefined;
  }
}

function storedIn(text: string | undefined, path: string): readonly TachikomaIteration[] {
  if (text === undefined) return [];
  const reading = readTachikomaHistory(text, path);
  if (!reading.ok) throw new RalphdError(reading.failure);
  return reading.iterations;
}

function inOurWords(path: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    throw inTheirWords(error, { path });
  }
}

function copyOf(iteration: Iteration): Iteration {
  const copy = Iteration.fromJSON(structuredClone(iteration.toJSON()));
  if (copy.result !== undefined) {
    copy.result.stdout = tailText(copy.result.stdout, maxOutputLength);
    copy.result.stderr = tailText(copy.result.stderr, maxOutputLength);
  }
  return copy;
}

function emptySummary(): HistorySummary {
  return {
    totalIterations: 0,
    successfulIterations: 0,
    failedIterations: 0,
    timedOutIterations: 0,
    totalDurationMs: 0,
    totalFilesModified: 0,
    totalFilesCreated: 0,
    totalTestsRun: 0,
    totalTestsPassed: 0,
    totalTestsFailed: 0,
  };
}

function withIteration(summary: HistorySummary, { status, result }: Iteration): HistorySummary {
  const tests = result?.testResults;
  return {
    totalIterations: summary.totalIterations + 1,
    successfulIterations: summary.successfulIterations + (status === 'completed' ? 1 : 0),
    failedIterations: summary.failedIterations + (status === 'failed' ? 1 : 0),
    timedOutIterations: summary.timedOutIterations + (status === 'timed_out' ? 1 : 0),
    totalDurationMs: summary.totalDurationMs + (result?.durationMs ?? 0),
    totalFilesModified: summary.totalFilesModified + (result?.filesModified.length ?? 0),
    totalFilesCreated: summary.totalFilesCreated + (result?.filesCreated.length ?? 0),
    totalTestsRun: summary.totalTestsRun + (tests?.total ?? 0),
    totalTestsPassed: summary.totalTestsPassed + (tests?.passed ?? 0),
    totalTestsFailed: summary.totalTestsFailed + (tests?.failed ?? 0),
  };
}
