import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Durations, durationsFile } from './test-report.ts';

/** What decides when a test file starts. */
export interface Queued {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly project: string;
}

/**
 * Starts the longest files first, so that none is left over when all others have ended. The files of a project stay
 * together, in the order of the projects: only neighbours in the queue can share a process.
 */
export function longestFirst<Entry extends Queued>(
  entries: readonly Entry[],
  projects: readonly string[],
  durations: Durations,
): readonly Entry[] {
  return entries.toSorted(
    (a, b) =>
      projects.indexOf(a.project) - projects.indexOf(b.project) ||
      (durations[b.file] ?? 0) - (durations[a.file] ?? 0) ||
      a.file.localeCompare(b.file),
  );
}

/** The order in which vitest starts the files. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const durations = JSON.parse(readFileSync(path.join(root, durationsFile), 'utf8')) as Durations;
    const entries = specifications.map((specification) => ({
      file: path.relative(root, specification.moduleId),
      project: specification.project.name,
      specification,
    }));
    const projects = this.ctx.projects.map(({ name }) => name);
    return await Promise.resolve(longestFirst(entries, projects, durations).map(({ specification }) => specification));
  }
}
