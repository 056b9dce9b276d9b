import { tachikomaVersion } from '../formats/index.ts';
import type { Duration } from './durations.ts';

/** The version of the state documents that this layer reads and writes. */
export const STATE_VERSION = tachikomaVersion;

/** The statuses of a persisted loop; a loop that is idle has no state yet. */
export const LoopStatus = {
  /** The loop is at work. */
  Running: 'running',
  /** The loop is paused. */
  Paused: 'paused',
  /** The loop is changing to a fresh session. */
  Rebooting: 'rebooting',
  /** A user stopped the loop. */
  Stopped: 'stopped',
  /** The task is done. */
  Completed: 'completed',
  /** The loop failed: a limit, a stop rule or an error ended it. */
  Error: 'error',
} as const;

/** One status of a persisted loop. */
export type LoopStatus = (typeof LoopStatus)[keyof typeof LoopStatus];

/** The complete state of a loop as it is stored. Fields that the format does not define are kept. */
export interface PersistedLoopState {
  /** Version of the format. */
  version: number;
  /** The loop that the state belongs to. */
  loop_id: string;
  /** When the document was written, RFC 3339 UTC. */
  saved_at: string;
  /** The execution of the loop. */
  core: CoreLoopState;
  /** The agent's sessions. */
  session: SessionState;
  /** What has been achieved. */
  progress: ProgressState;
  /** The test results. */
  tests: TestState;
  /** How close the stop rules are. */
  stop_conditions: StopConditionState;
  /** Counters. */
  metrics: MetricsSnapshot;
  /** Values of the program's own. */
  custom: Record<string, unknown>;
}

/** The execution of a loop. */
export interface CoreLoopState {
  /** Its status. */
  status: LoopStatus;
  /** The newest started iteration; 0 before the first. */
  iteration: number;
  /** When the loop started. */
  started_at: string | null;
  /** When it last did something. */
  last_activity: string | null;
  /** Where it works. */
  working_dir: string;
  /** Its prompt file. */
  prompt_path: string | null;
  /** Changes when the configuration does. */
  config_hash: string;
}

/** The agent's sessions. */
export interface SessionState {
  /** The current session. */
  current_session_id: string | null;
  /** When it began. */
  session_started_at: string | null;
  /** How many iterations it has had. */
  session_iterations: number;
  /** How full its context is, from 0 to 100. */
  context_usage: number;
  /** The newest ended sessions, oldest first. */
  session_history: SessionHistoryEntry[];
}

/** A session that has ended. */
export interface SessionHistoryEntry {
  /** Its id. */
  session_id: string;
  /** When it began. */
  started_at: string;
  /** When it ended. */
  ended_at: string;
  /** How many iterations it had. */
  iterations: number;
  /** Why it ended. */
  end_reason: string;
}

/** What a loop has achieved. */
export interface ProgressState {
  /** Iterations since the last one that made progress. */
  iterations_since_progress: number;
  /** The last iteration that made progress. */
  last_progress_iteration: number | null;
  /** The newest 20 scores, oldest first. */
  recent_scores: number[];
  /** Files that the loop changed. */
  modified_files: string[];
  /** What is done. */
  completed_objectives: string[];
  /** What is left to do. */
  pending_objectives: string[];
}

/** The test results of a loop. */
export interface TestState {
  /** Iterations in a row with failing tests. */
  failure_streak: number;
  /** Tests that passed in the newest run. */
  passing_tests: string[];
  /** Tests that failed in the newest run. */
  failing_tests: string[];
  /** Tests whose result changes too often to prove anything. */
  flaky_tests: string[];
  /** Tests that failed in the run before and pass now. */
  recently_fixed: string[];
}

/** How close the stop rules of a loop are. */
export interface StopConditionState {
  /** From 0 to 1, for each rule. */
  condition_progress: Record<string, number>;
  /** What the newest evaluation said. */
  last_evaluation: string | null;
}

/** The counters of a loop. */
export interface MetricsSnapshot {
  /** Finished iterations. */
  total_iterations: number;
  /** Those that made progress. */
  successful_iterations: number;
  /** Those that failed. */
  failed_iterations: number;
  /** Changes to a fresh session. */
  total_reboots: number;
  /** How long the agent ran. */
  total_execution_ms: number;
}

/** How a `StateManager` keeps its document. */
export interface StatePersistenceConfig {
  /** Whether anything is stored at all. Default: true. */
  enabled: boolean;
  /** The document. Default: `.ralph/state.json`. */
  statePath: string;
  /** The folder of the backups. Default: `.ralph/backups`. */
  backupDir: string;
  /** How often unsaved changes are saved, as text such as `30s` or in milliseconds. Default: `30s`. */
  autoSaveInterval: Duration;
  /** How many backups are kept. Default: 10. */
  maxBackups: number;
  /** Whether the document and its backups are compressed. Default: false. */
  compress: boolean;
  /** Whether the document and its backups are encrypted; needs a key. What is encrypted stays so. Default: false. */
  encrypt: boolean;
  /** A file with the key, besides `RALPHD_KEY`, the file that `RALPHD_KEY_FILE` names, and the keyring. */
  keyFile?: string;
}

/** The default persistence. */
export const StatePersistenceConfig = {
  /** A new configuration with the defaults. */
  default: (): StatePersistenceConfig => ({
    enabled: true,
    statePath: '.ralph/state.json',
    backupDir: '.ralph/backups',
    autoSaveInterval: '30s',
    maxBackups: 10,
    compress: false,
    encrypt: false,
  }),
} as const;

/** A new document: at iteration 0, running, with empty sections. */
export function initialState(loopId: string, now: string, workingDir: string): PersistedLoopState {
  return {
    version: STATE_VERSION,
    loop_id: loopId,
    saved_at: now,
    core: {
      status: 'running',
      iteration: 0,
      started_at: now,
      last_activity: now,
      working_dir: workingDir,
      prompt_path: 'prompt.md',
      config_hash: '',
    },
    session: {
      current_session_id: null,
      session_started_at: null,
      session_iterations: 0,
      context_usage: 0,
      session_history: [],
    },
    progress: {
      iterations_since_progress: 0,
      last_progress_iteration: null,
      recent_scores: [],
      modified_files: [],
      completed_objectives: [],
      pending_objectives: [],
    },
    tests: { failure_streak: 0, passing_tests: [], failing_tests: [], flaky_tests: [], recently_fixed: [] },
    stop_conditions: { condition_progress: {}, last_evaluation: null },
    metrics: {
      total_iterations: 0,
      successful_iterations: 0,
      failed_iterations: 0,
      total_reboots: 0,
      total_execution_ms: 0,
    },
    custom: {},
  };
}
