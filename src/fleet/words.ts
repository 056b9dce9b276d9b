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
  /** Whose loops it runs: repositories, or what their addresses begin with. */
  readonly trust?: readonly string[];
  /** What its machine's clock says, to be compared with that of the database. */
  readonly nowMs?: number;
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
  /** Its last owner did not give it back. */
  readonly takesOver: boolean;
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
  /** How long the commands that it answered had waited. */
  readonly waitedMs: readonly number[];
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

/** A loop that no worker has started yet, or that could not be continued. */
export interface UndrivenLoop {
  readonly id: string;
  readonly title: string;
  /** It waits for a worker, is about to be started by one, or was set aside. */
  readonly status: LoopPlaceStatus;
  /** Why it was set aside, or could not be driven so far. */
  readonly why: string | null;
  readonly submittedAt: string;
  readonly started: boolean;
}

/** Who removed a loop, and when. */
export interface Removal {
  readonly removedBy: string;
  readonly removedAt: string;
}

/** The attempt at an iteration whose agent printed something. */
interface OutputOfAttempt {
  readonly iteration: number;
  readonly attempt: number;
  /** The machine and the folder that have all of it. */
  readonly host: string;
  readonly folder: string;
  /** Nothing more comes of this attempt. */
  readonly complete: boolean;
}

/** The end of what an agent printed, redacted, and compressed with gzip. */
export interface KeptOutput extends OutputOfAttempt {
  readonly loop: string;
  readonly epoch: number;
  readonly stdout: Uint8Array;
  /** How many bytes it printed in all, up to the end of what is kept. */
  readonly stdoutEnd: number;
  readonly stderr: Uint8Array;
  readonly stderrEnd: number;
}

/** The end of what an agent printed, with a number that rises with each change. */
export interface ReadOutput extends Omit<KeptOutput, 'loop' | 'epoch'> {
  readonly revision: number;
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
  /** The repository that it works on: only workers that trust it take the loop. */
  readonly repository?: string;
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
  /** How many of them are allowed after its provider was overloaded; null for as many as ever. */
  readonly atOnce?: number | null;
}

/** The fleet as people see it. */
export interface FleetStatus {
  readonly tick: number;
  readonly workers: readonly StatusOfWorker[];
  /** Those that have not ended. */
  readonly loops: readonly StatusOfLoop[];
  readonly ended: number;
  /** How long ended loops are kept, in milliseconds; null for ever. */
  readonly keep: number | null;
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
  /** Null for a worker of an earlier version. */
  readonly trust: readonly string[] | null;
  readonly draining: boolean;
  readonly isLost: boolean;
  readonly lostAt: string | null;
  /** For how many ticks of the fleet's clock nothing was heard of it. */
  readonly ticksSilent: number;
  /** By how much its machine's clock was ahead of the database's when it joined. */
  readonly clockAheadMs: number | null;
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
  readonly agent: string | null;
  readonly labels: readonly string[];
  readonly repository: string | null;
  readonly byPerson: boolean;
  readonly submittedBy: string;
  readonly submittedAt: string;
  readonly queuedAt: string;
  readonly wakeAt: string | null;
  readonly epoch: number;
  readonly facts: number;
  readonly crashes: number;
  readonly worker: string | null;
  readonly ownedSince: string | null;
  /** What no worker that is here offers, so that it waits for nobody; null if one would take it. */
  readonly lacks: Lack | null;
  /** How many commands wait for an answer. */
  readonly commands: number;
}

/** Why no worker would take a loop: there is none, or none with its agent, labels, account or trust, or not in one. */
export type Lack = 'worker' | 'agent' | 'label' | 'account' | 'trust' | 'combination';

/** An account with a limit. */
export interface StatusOfAccount {
  readonly name: string;
  readonly most: number | null;
  /** How many of them are allowed now, after its provider was overloaded; null if that is no limit. */
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
  readonly missed: Schedule['missed'];
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

/** An ended loop that is old enough to be removed. */
export interface PrunableLoop {
  readonly loop: string;
  readonly title: string;
  readonly endedAt: string;
  readonly facts: number;
  readonly bytes: number;
}

/** A loop that was removed, and the repository that it worked on, if that is known. */
export interface RemovedLoop {
  readonly loop: string;
  readonly repository: string | null;
}

/** Numbers about the whole fleet. */
export interface FleetFigures {
  readonly loops: readonly { readonly state: LoopState; readonly account: string | null; readonly count: number }[];
  readonly ended: number;
  readonly oldestClaimableSeconds: number | null;
  readonly oldestCommandSeconds: number | null;
  readonly unansweredCommands: number;
  readonly workers: { readonly live: number; readonly draining: number; readonly lost: number };
  /** How many loops the live workers drive at most. */
  readonly capacity: number;
  /** For how many ticks the most silent live worker has been silent. */
  readonly ticksSilent: number;
  readonly accounts: readonly {
    readonly name: string;
    readonly isBlocked: boolean;
    readonly limit: number | null;
    readonly used: number;
  }[];
  readonly bytes: number;
}

/** The place of an open loop: one that is queued can be claimed now, waits, or is held back by its account. */
export type LoopState = 'claimable' | 'waiting' | 'blocked' | 'driven' | 'paused' | 'held';

/** What the database's server says about itself and the fleet in it. */
export interface FleetHealth {
  readonly server: string;
  readonly serverNumber: number;
  readonly schema: number;
  readonly nowMs: number;
  readonly isReplica: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly user: string;
  readonly owner: string;
  readonly isSuperuser: boolean;
  /** The tables that this user may change. */
  readonly touchesTables: readonly string[];
  /** How many functions for workers this user may not call. */
  readonly missingFunctions: number;
  readonly connections: {
    readonly most: number;
    readonly used: number;
    /** -1 for no limit. */
    readonly ofRole: number;
    readonly ofDatabase: number;
  };
  readonly longestTransactionSeconds: number;
  readonly bytes: { readonly facts: number; readonly loops: number; readonly database: number };
  readonly deadRows: number;
  readonly liveRows: number;
  readonly ended: { readonly count: number; readonly oldest: string | null; readonly olderThanMonths: number };
  /** Removed loops whose captures are in the shared repository still. */
  readonly capturesLeft: number;
  readonly oldestCommandSeconds: number | null;
  /** Schedules that were due more than two minutes ago. */
  readonly lateSchedules: readonly string[];
}
