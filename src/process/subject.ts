import type { ProcessRow } from './process-row.ts';

/** The moment the first process of a command ended. */
export interface Exit<Natural> {
  /** How it ended by itself. */
  readonly ending: Natural;
  /** What it left running, as far as it was known at that moment. */
  readonly left: readonly ProcessRow[];
}

/** A running command that can be watched and ended. */
export interface Subject<Natural> {
  readonly pid: number;
  readonly exited: Promise<Exit<Natural>>;
  /** Signals the command and all of its process group. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** What is known to run of it, for when its end cannot be waited for. */
  readonly left: () => readonly ProcessRow[];
}
