import type { ForeignSystem, Status, StopReason } from '../../protocol/index.ts';

/** A field of a document, and where its value went. */
export interface FieldMapping {
  readonly from: string;
  readonly to: string;
}

/** One check of the completion criteria. */
export interface ForeignCheck {
  readonly iteration: number;
  readonly at: string;
  readonly passed: boolean;
  readonly output: string;
}

/** What another system counted; unknown values are missing. */
export interface ForeignTotals {
  readonly iterations?: number | undefined;
  readonly successful?: number | undefined;
  readonly failed?: number | undefined;
  readonly reboots?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly tokens?: number | undefined;
  readonly costUsd?: number | undefined;
}

/** The settings of a loop that have an equivalent here. */
export interface ForeignSettings {
  /** 0 stands for no limit. */
  readonly maxIterations?: number | undefined;
  readonly maxTimeMs?: number | undefined;
  readonly attended?: boolean | undefined;
  readonly autoTest?: boolean | undefined;
  readonly checkpointInterval?: number | undefined;
  /** What the agent writes when it is done; null if the loop knows no such text. */
  readonly promise?: string | null | undefined;
  readonly promptPath?: string | undefined;
}

/** A loop of another system. Instants are in UTC. */
export interface ForeignLoop {
  readonly from: ForeignSystem;
  /** The id that it has there. */
  readonly id?: string | undefined;
  /** Its status in the words of that system. */
  readonly status: string;
  /** Its status here: nobody drives it, so one that has not ended is paused. */
  readonly becomes: Exclude<Status, 'running' | 'completing'>;
  readonly reason?: StopReason | undefined;
  readonly message?: string | undefined;
  /** The latest iteration that was started; 0 before the first. */
  readonly iteration: number;
  readonly finished: number;
  readonly task: string;
  readonly criteria?: string | undefined;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly owner?: string | undefined;
  readonly pid?: number | undefined;
  readonly workingDirectory?: string | undefined;
  readonly settings: ForeignSettings;
  readonly totals: ForeignTotals;
  readonly checks: readonly ForeignCheck[];
  readonly learnings: readonly string[];
  readonly files: readonly string[];
  /** The fields that were understood. */
  readonly mapped: readonly FieldMapping[];
  /** The fields that were not: they are kept as they are. */
  readonly kept: readonly string[];
  readonly warnings: readonly string[];
  /** The whole document. */
  readonly document: Readonly<Record<string, unknown>>;
}
