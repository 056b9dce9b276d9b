/** One live entry of the operating system's process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly groupId: number;
  /** In the system's own form; only ever compared for equality. */
  readonly startTime: string;
  /** Ended but not yet collected by its parent. */
  readonly zombie: boolean;
}

/** What ralphd asks of the operating system; synchronous, so that nothing happens between a look and a signal. */
export interface ProcessTable {
  bootId(): string;
  read(pid: number): ProcessRow | undefined;
  inGroup(groupId: number): readonly ProcessRow[];
  /** Running processes whose environment carries the marker, the caller excepted. */
  marked(marker: string): readonly ProcessRow[];
}
