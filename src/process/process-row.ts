/** One live entry of the operating system's process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parentId: number;
  readonly groupId: number;
  /** The program's own name, as far as the system keeps it. */
  readonly name: string;
  /** In the system's own form; only ever compared for equality. */
  readonly startTime: string;
  /** Processor time of the process and of its children that have ended. */
  readonly cpuMs: number;
  /** Memory that it has in use, shared memory included. */
  readonly memoryBytes: number;
  /** Has or wants a processor, or waits for the disk; one that waits for anything else is idle. */
  readonly working: boolean;
  /** Stopped until it is continued. */
  readonly stopped: boolean;
  /** Ended but not yet collected by its parent. */
  readonly zombie: boolean;
}

/**
 * The processes that started after a moment, read without the others where the system reveals which they are. The witness
 * is the number of one that started after it.
 */
export interface FreshProcesses {
  all(witness: number): readonly ProcessRow[];
  /** Those whose environment carries the marker, except the caller. */
  marked(marker: string, witness: number): readonly ProcessRow[];
}

/** What ralphd needs from the operating system; synchronous, so that nothing happens between a read and a signal. */
export interface ProcessTable {
  bootId(): string;
  read(pid: number): ProcessRow | undefined;
  /** How long ago a process started, on a clock that cannot be set; undefined where the system has none. */
  ageMs(row: Pick<ProcessRow, 'startTime'>): number | undefined;
  /** Memory of a process, of which shared memory is divided among those that share it; undefined if not revealed. */
  ownMemory(pid: number): number | undefined;
  all(): readonly ProcessRow[];
  inGroup(groupId: number): readonly ProcessRow[];
  /** Running processes whose environment carries the marker in that variable, except the caller. */
  marked(marker: string, variable?: string): readonly ProcessRow[];
  /** What starts from now on. */
  fromNow(): FreshProcesses;
  /** Processes that have a pipe open which one of these has as its first or second file; none where the system does not reveal it. */
  writingTo(readers: readonly ProcessRow[]): readonly ProcessRow[];
}
