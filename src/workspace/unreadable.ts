/** The work tree could not be read; what changed is then unknown, never nothing. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Whether an error comes from reading the work tree and not from a defect. */
export function isReadError(error: unknown): error is Error {
  return error instanceof Unreadable || (error instanceof Error && 'syscall' in error);
}
