import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchResult } from './case.ts';

/** What a run has measured so far, in a file, so that one that is interrupted can be continued. */
export interface UnfinishedRun {
  readonly resultOf: (name: string) => BenchResult | undefined;
  readonly add: (result: BenchResult) => void;
  /** Everything was measured: there is nothing to continue. */
  readonly finish: () => void;
}

/** The run in the file, continued or begun anew. */
export function unfinishedRun(file: string, isContinued: boolean): UnfinishedRun {
  const results = new Map((isContinued ? readResults(file) : []).map((result) => [result.name, result]));
  return {
    resultOf: (name) => results.get(name),
    add: (result) => {
      results.set(result.name, result);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify([...results.values()]));
    },
    finish: () => rmSync(file, { force: true }),
  };
}

function readResults(file: string): readonly BenchResult[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly BenchResult[];
  } catch {
    return [];
  }
}
