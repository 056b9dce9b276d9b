import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Durations, durationsFile } from './test-report.ts';

/** What decides when a test file starts. */
export interface Queued {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Whether it runs in its own process. */
  readonly isIsolated: boolean;
}

/**
 * Starts the longest files first, so that none still runs when all others have ended. Files that share a process
 * come together at the end: only neighbours in the queue can share one.
 */
export function longestFirst<Entry extends Queued>(entries: readonly Entry[], durations: Durations): readonly Entry[] {
  return entries.toSorted(
    (a, b) =>
      Number(b.isIsolated) - Number(a.isIsolated) ||
      Number(isUnit(a)) - Number(isUnit(b)) ||
      (durations[b.file] ?? 0) - (durations[a.file] ?? 0) ||
      a.file.localeCompare(b.file),
  );
}

// The smallest files of all: they fill the gaps at the end.
function isUnit({ file }: Queued): boolean {
  return file.startsWith('src/');
}

/** The order in which vitest starts the files. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const durations = JSON.parse(readFileSync(path.join(root, durationsFile), 'utf8')) as Durations;
    const entries = specifications.map((specification) => ({
      file: path.relative(root, specification.moduleId),
      isIsolated: specification.project.config.isolate,
      specification,
    }));
    return await Promise.resolve(longestFirst(entries, durations).map(({ specification }) => specification));
  }
}
