/** Whether and when trying again can help: never, after a growing pause, or at a known instant. */
export type Retry = 'never' | 'backoff' | { readonly at: string };

/** Everything a user or a script needs to know about something that went wrong. */
export interface Failure {
  /** Permanent: retire a code, never rename it. Users and scripts search for it. */
  readonly code: string;
  /** What the command line exits with when this ends it. */
  readonly exitCode: number;
  /** What happened and why, from the user's side. */
  readonly message: string;
  /** The next command or edit that gets the user unstuck. */
  readonly hint: string;
  /** Left out means `never`. */
  readonly retry?: Retry;
}

/** The one error type that leaves a room; anything else that is thrown is a defect. */
export class LoopError extends Error {
  override readonly name = 'LoopError';
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.failure = failure;
  }
}

/** One family of failures: a function per code, so that every text is written in one place. */
export type FailureFamily = Record<string, (...details: never[]) => Failure>;
