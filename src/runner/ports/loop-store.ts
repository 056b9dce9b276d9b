import type { Loop } from '../../core/index.ts';
import type { Fact, RecordedFact } from '../../protocol/index.ts';
import type { Lease, Liveness, LoopOwner } from './lease.ts';

/** Where loops live: each has many readers and at most one owner. */
export interface LoopStore {
  /** Makes a loop and becomes its owner; rejects when there is one of this id. */
  create(loopId: string): Promise<OwnedLoop>;
  /** Becomes the owner of a loop, recovering it if need be; rejects while another owner has it, or may have it. */
  open(loopId: string, options?: OpenOptions): Promise<OwnedLoop>;
  /** Reads a loop, whoever owns it; never writes. */
  read(loopId: string): Promise<StoredLoop>;
  /** The ids of all loops, sorted. */
  list(): Promise<readonly string[]>;
  /**
   * Which loops changed since an earlier call; all of them without its cursor. A loop changes with each fact, and when
   * an owner takes it, leaves it or dies.
   */
  changesSince(cursor?: string): Promise<LoopChanges>;
}

/** How a loop is opened. */
export interface OpenOptions {
  /** Take it over from an owner that may still be alive on another machine. */
  readonly force?: boolean;
}

/** A loop that this process owns. Every promise that resolves has made its effect durable. */
export interface OwnedLoop extends AsyncDisposable {
  readonly loopId: string;
  readonly lease: Lease;
  readonly recovered: RecoveredLoop;
  /** Records facts, all or none of them. Rejects once the lease is lost. */
  append(facts: readonly Fact[]): Promise<readonly RecordedFact[]>;
  /** Refreshes the snapshot that readers and the next owner start from. */
  save(loop: Loop): Promise<void>;
  /**
   * Calls back when the loop has to rest until somebody fixes its store, and with nothing when that is over. Trouble
   * that already lasts is reported at once.
   */
  onTrouble(listener: (trouble: StoreTrouble | undefined) => void): Disposable;
  /** Gives the loop up in good order; the lease is released with it. */
  close(): Promise<void>;
}

/** What was found when a loop was opened. */
export interface RecoveredLoop {
  /** The current loop; nothing for a new one. */
  readonly loop?: Loop;
  /** What was wrong with its state and has been dealt with. */
  readonly problems: readonly StoreProblem[];
}

/** Something wrong with stored state. */
export interface StoreProblem {
  /** A word for programs. */
  readonly kind: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Why a loop has to rest: its store still takes the facts of a pause, and little more. */
export interface StoreTrouble {
  readonly code: 'DISK_FULL';
  /** What is wrong and what to do about it. */
  readonly message: string;
}

/** A loop as it is stored, seen from outside. */
export interface StoredLoop {
  readonly loopId: string;
  readonly loop: Loop;
  /** Who drives the loop, or died driving it; nothing after a good end. */
  readonly owner?: LoopOwner & { readonly liveness: Liveness };
  readonly problems: readonly StoreProblem[];
}

/** The loops that changed, and where to ask from next time. */
export interface LoopChanges {
  readonly loopIds: readonly string[];
  /** Loops that are no longer there. */
  readonly removed: readonly string[];
  readonly cursor: string;
}
