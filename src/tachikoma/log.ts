/** One line of a log, with the loop that it is about. */
export interface LogEntry {
  /** When it was written, RFC 3339 UTC. */
  readonly at: string;
  /** How important it is. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** The loop that it is about. */
  readonly loopId: string;
  /** What happened. */
  readonly message: string;
}

/** Receives the log of a loop. An error that it throws is ignored. */
export type Logger = (entry: LogEntry) => void;

/** Writes lines about one loop. */
export type LogLine = (level: LogEntry['level'], message: string) => void;

/** A log whose lines carry the id of their loop. */
export function logFor(loopId: () => string, log: Logger | undefined): LogLine {
  return (level, message) => {
    try {
      log?.({ at: new Date().toISOString(), level, loopId: loopId(), message });
    } catch {
      // The loop does not depend on whoever reads its log.
    }
  };
}
