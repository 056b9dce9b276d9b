/** The work tree could not be read: its changes are then unknown, not empty. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Git refuses to work because of a lock file: another git is at work, or died at it. */
export class LockedByGit extends Unreadable {
  readonly file: string;

  constructor(message: string, file: string) {
    super(message);
    this.file = file;
  }
}

/** Whether an error comes from reading the work tree and not from a bug. */
export function isReadError(error: unknown): error is Error {
  return error instanceof Unreadable || (error instanceof Error && 'syscall' in error);
}
