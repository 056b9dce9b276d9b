/** The status of a loop. */
export type LoopStatus = 'running' | 'paused' | 'completing' | 'completed' | 'failed' | 'aborted' | 'crashed';

/** One check of the completion criteria. */
export interface CompletionCheck {
  /** The iteration after which it ran. */
  readonly iteration: number;
  /** When it ran, RFC 3339. */
  readonly timestamp: string;
  /** Whether the criteria were met. */
  readonly passed: boolean;
  /** What it printed. */
  readonly output: string;
}

/** The limits and switches of a loop. */
export interface LoopConfiguration {
  /** At least 1; 200 if it is missing. */
  readonly max_iterations?: number;
  /** How long the loop may run in total; null for as long as it takes. */
  readonly timeout_minutes?: number | null;
  /** Whether a person decides; false if it is missing. */
  readonly interactive?: boolean;
  /** Whether the tests run before completion; true if it is missing. */
  readonly auto_test?: boolean;
  /** A checkpoint every so many iterations; 1 if it is missing. */
  readonly checkpoint_interval?: number;
  /** How reproducible runs are. */
  readonly execution_mode?: 'strict' | 'seeded' | 'logged' | 'default';
  /** Fields that the schema does not define are kept. */
  readonly [field: string]: unknown;
}

/** The state of one loop, `loops/{loop_id}/state.json`. Fields that may be null may also be missing. */
export interface StateDocument {
  /** 2.x.y. */
  readonly version: string;
  /** `ralph-{slug}-{8 hex digits}`. */
  readonly loop_id: string;
  /** Where the loop stands. */
  readonly status: LoopStatus;
  /** The latest iteration that was started; 0 before the first. */
  readonly iteration: number;
  /** What the loop works on. */
  readonly task?: string;
  /** When it is done: a command or a description. */
  readonly completion_criteria?: string;
  /** When it started, RFC 3339. */
  readonly started_at?: string;
  /** When this document was last changed. */
  readonly last_updated?: string;
  /** When it ended. */
  readonly completed_at?: string | null;
  /** Who started it. */
  readonly owner?: string;
  /** The process that drives it. */
  readonly pid?: number | null;
  /** Where it works. */
  readonly working_directory?: string;
  /** Its limits and switches. */
  readonly configuration?: LoopConfiguration;
  /** The checks of its completion criteria. */
  readonly progress?: {
    readonly completion_checks?: readonly CompletionCheck[];
    readonly last_completion_check?: CompletionCheck | null;
    readonly estimated_completion?: string | null;
    readonly [field: string]: unknown;
  };
  /** Its totals. */
  readonly metrics?: Readonly<Record<string, unknown>>;
  /** The path of its newest checkpoint. */
  readonly last_checkpoint?: string | null;
  /** What went wrong, if it failed or crashed. */
  readonly error_context?: Readonly<Record<string, unknown>> | null;
  /** Fields that the schema does not define are kept. */
  readonly [field: string]: unknown;
}

/** An active loop in the registry. */
export interface RegistryEntry {
  /** Its id. */
  readonly loop_id: string;
  /** Where it stands. */
  readonly status: 'running' | 'paused' | 'completing' | 'crashed' | 'waiting';
  /** Its latest iteration. */
  readonly iteration: number;
  /** When it started, RFC 3339. */
  readonly started_at: string;
  /** Its latest sign of life. */
  readonly last_active?: string;
  /** The process that drives it. */
  readonly pid?: number | null;
  /** Fields that are not listed here are kept. */
  readonly [field: string]: unknown;
}

/** The list of active loops, `registry.json`. */
export interface RegistryDocument {
  /** 2.x.y. */
  readonly version: string;
  /** How many loops may be active at once. */
  readonly max_concurrent_loops: number;
  /** The active loops. */
  readonly active_loops: readonly RegistryEntry[];
  /** When this document was last changed. */
  readonly last_updated?: string;
  /** Fields that are not listed here are kept. */
  readonly [field: string]: unknown;
}
