/** A bug as a change of one text in one module. */
export interface Planting {
  readonly bug: string;
  readonly file: string;
  /** A text that occurs exactly once there; otherwise the bug is not planted, and that is an error. */
  readonly find: string;
  readonly replace: string;
}

/** The text of a module with a bug in it. A bug whose place is gone must not vanish unnoticed. */
export function plantIn(source: string, { bug, file, find, replace }: Planting): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`The bug "${bug}" cannot be planted: its text occurs ${times} times in ${file}.`);
  return source.replace(find, () => replace);
}
