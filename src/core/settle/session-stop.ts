/** What an agent reports when its interactive session is about to stop. */
export interface SessionStop {
  /** The event of the agent's hook: only `Stop` is the end of a turn. */
  readonly event: string;
  readonly sessionId: string;
  readonly cwd?: string;
  readonly transcriptPath?: string;
  /** The assistant's last message. */
  readonly message: string;
  /** How many of its tasks still run in the background. */
  readonly backgroundTasks: number;
  /** How many wake-ups it has scheduled. */
  readonly wakeUps: number;
  /** The agent only plans and may not change anything. */
  readonly isPlanning: boolean;
  /** Why the turn ended, if the agent says so. */
  readonly stopReason?: string;
}

/** Why a session may stop although its loop is not done. */
export type LetStopCause =
  | 'other_event'
  | 'background_tasks'
  | 'wake_ups'
  | 'planning'
  | 'stop_reason'
  | 'provider_error'
  | 'ceiling';

/** The iterations of a loop in a session: no setting allows more. */
export const sessionCeiling = 500;

const ordinaryReasons = ['end_turn', 'stop_sequence', 'stop'];

/**
 * Why a session must not be kept from stopping: its turn did not end by itself, it waits for something, or it cannot
 * continue. Undefined if the loop decides.
 */
export function whyLetStop(
  stop: SessionStop,
  { iteration, isProviderError }: { readonly iteration: number; readonly isProviderError: boolean },
): LetStopCause | undefined {
  if (stop.event !== 'Stop') return 'other_event';
  if (stop.stopReason !== undefined && !ordinaryReasons.includes(stop.stopReason)) return 'stop_reason';
  if (isProviderError) return 'provider_error';
  if (stop.backgroundTasks > 0) return 'background_tasks';
  if (stop.wakeUps > 0) return 'wake_ups';
  if (stop.isPlanning) return 'planning';
  return iteration >= sessionCeiling ? 'ceiling' : undefined;
}
