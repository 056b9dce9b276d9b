/** Whether and when a retry can help: never, with increasing delays, or at a known instant. */
export type Retry = 'never' | 'backoff' | { readonly at: string };

/** Everything a user or a script needs to know about something that went wrong. */
export interface Failure {
  /** Permanent: retire a code, never rename it. Users and scripts search for it. */
  readonly code: string;
  /** The exit code of the command line when this error ends it. */
  readonly exitCode: number;
  /** What happened and why, from the user's side. */
  readonly message: string;
  /** The next command or edit that gets the user unstuck. */
  readonly hint: string;
  /** The `resume` that would succeed, from which a user interface can build its own hint. */
  readonly resume?: {
    readonly loopId: string;
    readonly raise: readonly { readonly setting: string; readonly to: number }[];
  };
  /** The commands that the loop accepts instead. */
  readonly allowed?: readonly string[];
  /** Default: `never`. */
  readonly retry?: Retry;
}

/** The only error type that leaves a room; anything else that is thrown is a bug. */
export class LoopError extends Error {
  /** Distinguishes it from other errors, even if it comes from another copy of this package. */
  override readonly name = 'LoopError';
  /** The failure as data. */
  readonly failure: Failure;

  /**
   * @param failure what went wrong.
   * @param options the underlying error, as its `cause`.
   */
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.failure = failure;
  }

  /** The permanent code, such as `LOOP_LOCKED`. */
  get code(): string {
    return this.failure.code;
  }

  /** What to do next. */
  get hint(): string {
    return this.failure.hint;
  }

  /** The exit code of the command line when this error ends it. */
  get exitCode(): number {
    return this.failure.exitCode;
  }

  /** Whether and when a retry can help. */
  get retry(): Retry {
    return this.failure.retry ?? 'never';
  }
}

/** One family of failures: a function per code, so that every text is written in one place. */
export type FailureFamily = Record<string, (...details: never[]) => Failure>;
