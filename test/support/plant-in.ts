/** A bug as a change to one text in one module. */
export interface Planting {
  readonly bug: string;
  readonly file: string;
  /** A text that occurs exactly once in the module; otherwise planting the bug is an error. */
  readonly find: string;
  readonly replace: string;
}

/**
 * The source of a module with a bug in it. Fails if the place of the bug is gone, so that no bug disappears unnoticed.
 */
export function plantIn(source: string, { bug, file, find, replace }: Planting): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`The bug "${bug}" cannot be planted: its text occurs ${times} times in ${file}.`);
  return source.replace(find, () => replace);
}
