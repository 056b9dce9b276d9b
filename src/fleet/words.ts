/** A worker as the others see it. */
export interface WorkerNote {
  readonly id: string;
  /** Names the state folder whose lock it holds: only one worker at a time can have it. */
  readonly machine: string;
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly version: string;
  /** How many loops it drives at once. */
  readonly capacity: number;
  readonly agents: readonly string[];
  /** The accounts whose loops it may drive; all of them, if left out. */
  readonly accounts?: readonly string[];
  readonly labels: readonly string[];
}

/** The answer to a sign of life. */
export interface Beat {
  readonly waiting: readonly WaitingCommand[];
}

/** A command that nobody has answered yet. */
export interface WaitingCommand {
  readonly loop: string;
  readonly id: string;
  readonly body: string;
}

/** A loop that a worker owns from now on. */
export interface Claim {
  readonly loop: string;
  readonly epoch: number;
  /** The number of its last fact; 0 if it was never started. */
  readonly seq: number;
  /** The commit that its journal names. */
  readonly head: string | null;
  readonly request: string | null;
  /** It rests or waits: it was given only so that its commands are answered. */
  readonly onlyCommands: boolean;
  /** The same machine drove it last: its work tree here is at least as new as the commit. */
  readonly wasHere: boolean;
}

/** Whether one loop could be taken. */
export type Taken =
  | { readonly outcome: 'given'; readonly epoch: number; readonly seq: number; readonly head: string | null }
  | { readonly outcome: 'taken'; readonly host: string | null; readonly pid: number | null }
  | { readonly outcome: 'missing' | 'lost' };

/** Lines of a journal that are recorded together, and what follows from them. */
export interface Batch {
  readonly loopId: string;
  readonly epoch: number;
  /** The number of the last line before. */
  readonly after: number;
  /** The same for every attempt to record it. */
  readonly id: string;
  readonly lines: readonly string[];
  readonly types: readonly string[];
  readonly status?: 'driven' | 'paused' | 'ended';
  /** When a waiting loop is due; null for one that no longer waits. */
  readonly wakeAt?: string | null;
  readonly head?: string;
  readonly title?: string;
  /** The commands that its facts answer. */
  readonly answers?: readonly string[];
  /** An iteration was finished: earlier crashes no longer count. */
  readonly progress?: boolean;
  /** Until when the provider refuses the loop's account. */
  readonly blockedUntil?: string;
  readonly blockedWhy?: string;
  /** The provider was overloaded: fewer loops of the account run at once for a while. */
  readonly overloaded?: boolean;
}

/** What became of a batch: `fenced` if the loop has another owner, `gap` if the table lacks what came before. */
export interface BatchOutcome {
  readonly outcome: 'written' | 'fenced' | 'gap' | 'missing';
  /** The number of the last line that the table has. */
  readonly lastSeq: number;
}

/** A line of a journal, with its line break. */
export interface StoredLine {
  readonly seq: number;
  readonly line: string;
}

/** A loop without its facts. */
export interface FleetLoop {
  readonly loopId: string;
  readonly status: LoopPlaceStatus;
  readonly epoch: number;
  readonly seq: number;
  readonly head: string | null;
  readonly snapshot: string | null;
  readonly snapshotSeq: number;
  /** The current owner, or one that died; null after a clean release. */
  readonly owner: FleetOwner | null;
}

/** Whether a loop waits for a worker, is driven by one, rests, was set aside, or has ended. */
export type LoopPlaceStatus = 'queued' | 'driven' | 'paused' | 'held' | 'ended';

/** A worker as the owner of a loop. */
export interface FleetOwner {
  readonly worker: string;
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly epoch: number;
  readonly since: string;
  readonly liveness: 'alive' | 'dead';
}

/** The place of a loop in the fleet. */
export interface LoopGlimpse {
  readonly status: LoopPlaceStatus;
  readonly epoch: number;
  readonly seq: number;
  readonly owner: string | null;
}

/** A loop's id, and a number that rises with each change of it. */
export interface LoopVersion {
  readonly id: string;
  readonly version: number;
  readonly seq: number;
}

/** A loop that someone wants to be driven. */
export interface Submission {
  readonly id: string;
  /** What a worker needs to start it, as JSON. */
  readonly request: string;
  readonly title: string;
  readonly priority: number;
  /** Whether a person submitted it, and not a schedule. */
  readonly byPerson: boolean;
  readonly account?: string;
  readonly agent: string;
  readonly labels: readonly string[];
  readonly submittedBy: string;
}

/** What is changed about an account; the rest stays. */
export interface AccountLimits {
  /** How many loops may use it at once; null for any number. */
  readonly most?: number | null;
  /** How many of them are kept for people. */
  readonly reserve?: number;
  readonly blockedUntil?: string | null;
  readonly blockedWhy?: string | null;
}

/** The fleet as people see it. */
export interface FleetStatus {
  readonly tick: number;
  readonly workers: readonly StatusOfWorker[];
  /** Those that have not ended. */
  readonly loops: readonly StatusOfLoop[];
  readonly ended: number;
  readonly accounts: readonly StatusOfAccount[];
  readonly schedules: readonly StatusOfSchedule[];
}

/** A worker that has not left. */
export interface StatusOfWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly capacity: number;
  readonly agents: readonly string[];
  readonly accounts: readonly string[] | null;
  readonly labels: readonly string[];
  readonly draining: boolean;
  readonly isLost: boolean;
  /** For how many ticks of the fleet's clock nothing was heard of it. */
  readonly ticksSilent: number;
  readonly startedAt: string;
  readonly loops: number;
}

/** A loop that has not ended. */
export interface StatusOfLoop {
  readonly id: string;
  readonly status: LoopPlaceStatus;
  readonly why: string | null;
  readonly title: string;
  readonly priority: number;
  readonly account: string | null;
  readonly labels: readonly string[];
  readonly submittedBy: string;
  readonly submittedAt: string;
  readonly queuedAt: string;
  readonly wakeAt: string | null;
  readonly epoch: number;
  readonly facts: number;
  readonly crashes: number;
  readonly worker: string | null;
  /** How many commands wait for an answer. */
  readonly commands: number;
}

/** An account with a limit. */
export interface StatusOfAccount {
  readonly name: string;
  readonly most: number | null;
  readonly atOnce: number | null;
  readonly reserve: number;
  readonly blockedUntil: string | null;
  readonly blockedWhy: string | null;
  readonly used: number;
}

/** A schedule. */
export interface StatusOfSchedule {
  readonly id: string;
  readonly every: string;
  readonly zone: string;
  readonly nextMs: number;
  readonly title: string;
}

/** When loops are to be submitted by themselves. */
export interface Schedule {
  readonly id: string;
  /** An interval or a rule, as it was written. */
  readonly every: string;
  readonly zone: string;
  readonly missed: 'skip' | 'one' | 'all';
  readonly nextMs: number;
  /** What each run is made of. */
  readonly submission: Omit<Submission, 'id'>;
}

/** A schedule whose time has come, by the clock of the database. */
export interface DueSchedule extends Schedule {
  readonly nowMs: number;
}
