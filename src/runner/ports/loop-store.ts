import type { Loop } from '../../core/index.ts';
import type { Fact, RecordedFact } from '../../protocol/index.ts';
import type { Lease, Liveness, LoopOwner } from './lease.ts';

/** Where loops are stored: each has any number of readers and at most one owner. */
export interface LoopStore {
  /** Creates a loop and becomes its owner; rejects if the id exists. */
  create(loopId: string): Promise<OwnedLoop>;
  /** Becomes the owner of a loop, recovering it if needed; rejects while another owner holds it, or may hold it. */
  open(loopId: string, options?: OpenOptions): Promise<OwnedLoop>;
  /** Reads a loop, with or without an owner; never writes. */
  read(loopId: string): Promise<StoredLoop>;
  /** The ids of all loops, sorted. */
  list(): Promise<readonly string[]>;
  /**
   * The loops that changed since an earlier call; all of them without a cursor. A loop changes with each fact, and when
   * an owner takes or leaves it or dies.
   */
  changesSince(cursor?: string): Promise<LoopChanges>;
}

/** How a loop is opened. */
export interface OpenOptions {
  /** Take it over from an owner that may still be alive on another machine. */
  readonly force?: boolean;
}

/** A loop that this process owns. When a promise resolves, its effect is durable. */
export interface OwnedLoop extends AsyncDisposable {
  readonly loopId: string;
  readonly lease: Lease;
  readonly recovered: RecoveredLoop;
  /** Records facts, all or none of them. Rejects once the lease is lost. */
  append(facts: readonly Fact[]): Promise<readonly RecordedFact[]>;
  /** Updates the snapshot that readers and the next owner start from. */
  save(loop: Loop): Promise<void>;
  /**
   * Calls back if the loop has to pause until a person fixes its store, and with undefined when that is over. Trouble
   * that already lasts is reported at once.
   */
  onTrouble(listener: (trouble: StoreTrouble | undefined) => void): Disposable;
  /** Closes the loop cleanly and releases the lease. */
  close(): Promise<void>;
}

/** What was found when a loop was opened. */
export interface RecoveredLoop {
  /** The current loop; undefined for a new one. */
  readonly loop?: Loop;
  /** Problems in its state that have been repaired. */
  readonly problems: readonly StoreProblem[];
}

/** A problem in stored state. */
export interface StoreProblem {
  /** A word for programs. */
  readonly kind: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Why a loop has to pause: its store can record the pause, and little more. */
export interface StoreTrouble {
  readonly code: 'DISK_FULL' | 'DISK_LOW';
  /** What is wrong and how to fix it. */
  readonly message: string;
}

/** A stored loop, for readers. */
export interface StoredLoop {
  readonly loopId: string;
  readonly loop: Loop;
  /** The current owner, or one that died; undefined after a clean release. */
  readonly owner?: LoopOwner & { readonly liveness: Liveness };
  readonly problems: readonly StoreProblem[];
}

/** The changed loops, and the cursor for the next call. */
export interface LoopChanges {
  readonly loopIds: readonly string[];
  /** Loops that no longer exist. */
  readonly removed: readonly string[];
  readonly cursor: string;
}
