import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The parts of vitest's report that the check reads. */
export interface TestReport {
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Seconds by test file, relative to the root of the repository. */
export type Durations = Readonly<Record<string, number>>;

/** Where the durations of long test files are stored. Only the order of the tests depends on it. */
export const durationsFile = 'tools/check/durations.json';

/** Reads vitest's report; undefined if the tests did not run. */
export async function readReport(file: string): Promise<TestReport | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as TestReport;
  } catch {
    return undefined;
  }
}

/** How long each test file took, the longest first. */
export function durationsOf({ testResults }: TestReport, root: string): Durations {
  const rows = testResults.map(
    ({ name, startTime, endTime }) => [path.relative(root, name), (endTime - startTime) / 1000] as const,
  );
  return Object.fromEntries(rows.toSorted(([, a], [, b]) => b - a));
}

/** Stores the durations of a full run in whole seconds, without files below half a second. */
export async function keepDurations(durations: Durations, root: string): Promise<void> {
  const rows = Object.entries(durations).map(([file, seconds]) => [file, Math.round(seconds)] as const);
  const kept = Object.fromEntries(rows.filter(([, seconds]) => seconds > 0));
  await writeFile(path.join(root, durationsFile), `${JSON.stringify(kept, null, 2)}\n`);
}
