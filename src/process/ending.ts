/** Why ralphd ended a process itself. */
export type StopCause =
  | 'timeout'
  | 'start'
  | 'idle'
  | 'output'
  | 'result'
  | 'budget'
  | 'redline'
  | 'rejected'
  | 'memory'
  | 'request';

/** It ended by itself. */
export interface Exited {
  readonly kind: 'exited';
  readonly code: number;
}

/** It was killed, by itself or by another process. */
export interface Signalled {
  readonly kind: 'signalled';
  readonly signal: NodeJS.Signals;
}

/** It was ended because of a bound or on request. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly by: StopCause;
  /** Its process group had to be killed because it outlived the grace period. */
  readonly forced: boolean;
}

/** The command never became a process; nothing ran and nothing is left. */
export interface NotStarted {
  readonly kind: 'not_started';
  /** What was missing or unusable: the program, its working directory, or the files for its input and output. */
  readonly what: 'command' | 'directory' | 'files';
  /** The system's error code, such as ENOENT or EACCES. */
  readonly code: string;
  readonly message: string;
}

/** Nothing recorded how it ended. */
export interface Lost {
  readonly kind: 'lost';
}

/** How one command ended. A command that fails is a result, not an error. */
export type Ending = Exited | Signalled | Stopped | NotStarted;

/** How an agent ended. */
export type AgentEnding = Ending | Lost;

/** The ending of a command that did not become a process. */
export function notStarted(what: NotStarted['what'], code: string, message: string): NotStarted {
  return { kind: 'not_started', what, code, message };
}

/** The system's code for an error, such as ENOENT. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}
