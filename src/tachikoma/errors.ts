import { type Failure, LoopError as RalphdError } from '../base/index.ts';
import type { LoopState } from './loop-state.ts';

/** What went wrong, with its details. */
export type LoopErrorDetails =
  | {
      /** The action is not possible in the current state. */
      readonly kind: 'InvalidState';
      /** The current state. */
      readonly current: LoopState;
      /** What was attempted. */
      readonly action: string;
    }
  | {
      /** The loop already runs. */
      readonly kind: 'AlreadyRunning';
    }
  | {
      /** The prompt cannot be read, or is not usable. */
      readonly kind: 'PromptLoadFailed' | 'PromptParseFailed';
      /** The prompt file. */
      readonly path: string;
      /** Why. */
      readonly source: string;
    }
  | {
      /** The state cannot be read or written, or belongs to another loop. */
      readonly kind: 'StateLoadFailed' | 'StateSaveFailed' | 'BackupFailed';
      /** The file. */
      readonly path: string;
      /** Why. */
      readonly source: string;
    }
  | {
      /** The state has a newer format. */
      readonly kind: 'StateVersionMismatch';
      /** The version that this layer reads. */
      readonly expected: number;
      /** The version of the document. */
      readonly found: number;
    }
  | {
      /** There is no state to back up. */
      readonly kind: 'NoStateToBackup';
    }
  | {
      /** The iteration took too long and was ended. */
      readonly kind: 'IterationTimeout';
      /** The number of the iteration. */
      readonly iteration: number;
      /** The time that it had. */
      readonly timeoutMs: number;
    }
  | {
      /**
       * The agent cannot be started, too many loops run, a command cannot be queued, a value cannot be stored, a setting is
       * wrong, or something else (see `code`).
       */
      readonly kind:
        | 'SessionStartFailed'
        | 'TooManySessions'
        | 'CommandFailed'
        | 'SerializationError'
        | 'InvalidConfig'
        | 'Other';
      /** Why. */
      readonly source: string;
    };

/** The kinds of errors. */
export type LoopErrorKind = LoopErrorDetails['kind'];

/**
 * An error of the loop runner. It is also a `LoopError` of ralphd, with its permanent `code`, `hint` and `exitCode`; `kind`
 * and `details` add the words of the loop runner's documents.
 */
export class LoopError extends RalphdError {
  /** What went wrong, by kind. */
  readonly details: LoopErrorDetails;

  /**
   * @param failure what went wrong, in ralphd's words.
   * @param details the same in the words of the loop runner.
   * @param options the underlying error, as its `cause`.
   */
  constructor(failure: Failure, details: LoopErrorDetails, options?: ErrorOptions) {
    super(failure, options);
    this.details = details;
  }

  /** The kind of error, such as `InvalidState`. */
  get kind(): LoopErrorKind {
    return this.details.kind;
  }
}

/** What is known where an error occurred. */
export interface ErrorPlace {
  /** The state of the runner, and what it was asked to do. */
  readonly state?: { readonly current: LoopState; readonly action: string };
  /** The file that was read or written. */
  readonly path?: string;
  /** The prompt file. */
  readonly promptPath?: string;
}

/** An error of ralphd in the words of the loop runner; any other error unchanged. */
export function inTheirWords(error: unknown, place: ErrorPlace): unknown {
  if (!(error instanceof RalphdError) || error instanceof LoopError) return error;
  const own = new LoopError(error.failure, detailsOf(error, place), { cause: error.cause });
  if (error.stack !== undefined) own.stack = error.stack;
  return own;
}

function detailsOf(
  { code, message }: RalphdError,
  { state, path = '', promptPath = '' }: ErrorPlace,
): LoopErrorDetails {
  const kind = kindByCode[code] ?? (code.startsWith('PROMPT_') ? 'PromptParseFailed' : kindByFamily(code));
  switch (kind) {
    case 'InvalidState':
      return { kind, ...(state ?? { current: 'idle', action: '' }) };
    case 'AlreadyRunning':
    case 'NoStateToBackup':
      return { kind };
    case 'PromptLoadFailed':
    case 'PromptParseFailed':
      return { kind, path: promptPath, source: message };
    case 'StateLoadFailed':
    case 'StateSaveFailed':
    case 'BackupFailed':
      return { kind, path, source: message };
    default:
      return { kind, source: message };
  }
}

type MappedKind = Exclude<LoopErrorKind, 'StateVersionMismatch' | 'IterationTimeout'>;

const kindByCode: Readonly<Record<string, MappedKind>> = {
  INVALID_STATE: 'InvalidState',
  ALREADY_RUNNING: 'AlreadyRunning',
  PROMPT_MISSING: 'PromptLoadFailed',
  PROMPT_UNREADABLE: 'PromptLoadFailed',
  PROMPT_EMPTY: 'PromptLoadFailed',
  AGENT_NOT_FOUND: 'SessionStartFailed',
  AGENT_NOT_EXECUTABLE: 'SessionStartFailed',
  AGENT_REFUSES_ROOT: 'SessionStartFailed',
  TOO_MANY_LOOPS: 'TooManySessions',
  COMMAND_QUEUE_FULL: 'CommandFailed',
  STATE_UNREADABLE: 'StateLoadFailed',
  STATE_UNRECOVERABLE: 'StateLoadFailed',
  DOCUMENT_DAMAGED: 'StateLoadFailed',
  DOCUMENT_OF_OTHER_LOOP: 'StateLoadFailed',
  UNSAFE_PATH: 'StateLoadFailed',
  STATE_WRITE_FAILED: 'StateSaveFailed',
  DISK_FULL: 'StateSaveFailed',
  NO_STATE_TO_BACKUP: 'NoStateToBackup',
  BACKUP_FAILED: 'BackupFailed',
};

function kindByFamily(code: string): MappedKind {
  return code.startsWith('CONFIG_') || code === 'UNLIMITED_WITHOUT_BOUND' ? 'InvalidConfig' : 'Other';
}
