/** Why ralphd ended a process itself. */
export type StopCause = 'timeout' | 'idle' | 'output' | 'request';

/** How one command ended. A command that fails is a result, not an error. */
export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | {
      readonly kind: 'stopped';
      readonly by: StopCause;
      /** Its process group had to be killed because it outlived the grace. */
      readonly forced: boolean;
    }
  | NotStarted;

/** The command never became a process; nothing ran and nothing is left. */
export interface NotStarted {
  readonly kind: 'not_started';
  /** What was missing or unusable: the program, its working directory, or the files for its input and output. */
  readonly what: 'command' | 'directory' | 'files';
  /** The system's word for it, such as ENOENT or EACCES. */
  readonly code: string;
  readonly message: string;
}
