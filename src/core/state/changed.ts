import type { Changes } from '../../protocol/index.ts';

/** What the iterations of a loop changed, as far as limits count it. */
export interface Changed {
  /** Different files, while there is a limit on them; no more are added once it is reached. */
  readonly files: readonly string[];
  /** Changed files whose names were not recorded, because one run changed too many. */
  readonly unlisted: number;
  /** Lines added and removed. */
  readonly lines: number;
  /** Runs whose changed lines or files could not be counted. */
  readonly uncountedLines: number;
  readonly uncountedFiles: number;
}

/** Nothing changed. */
export const nothingChanged: Changed = { files: [], unlisted: 0, lines: 0, uncountedLines: 0, uncountedFiles: 0 };

/** Adds what one run changed. Names are kept only for a limit, which also bounds how many of them there are. */
export function addChanges(before: Changed, changes: Changes, maxFiles: number | undefined): Changed {
  const { known, count, lines, modified, created, deleted } = changes;
  if (!known) {
    return {
      ...before,
      uncountedLines: before.uncountedLines + 1,
      uncountedFiles: before.uncountedFiles + 1,
    };
  }
  const listed = [...modified, ...created, ...deleted];
  const isCounted = lines !== undefined || count === 0;
  const counted = {
    ...before,
    lines: before.lines + (lines === undefined ? 0 : lines.added + lines.removed),
    uncountedLines: before.uncountedLines + (isCounted ? 0 : 1),
  };
  if (maxFiles === undefined || before.files.length + before.unlisted >= maxFiles) return counted;
  return {
    ...counted,
    files: [...new Set([...before.files, ...listed])],
    unlisted: before.unlisted + Math.max(0, count - listed.length),
  };
}
