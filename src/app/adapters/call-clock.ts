import { addCalls, spreadCalls } from '../../core/index.ts';
import type { ApiCalls } from '../../protocol/index.ts';

/** Notes when an agent makes its API calls. */
export interface CallClock {
  /** Takes the number of calls so far; undefined while it is unknown. */
  note(total: number | undefined): void;
  /** The calls of the last hour. */
  calls(): readonly ApiCalls[];
}

/** A clock for a run. Calls of an adopted agent from before this process watched it are spread over the time since its start. */
export function createCallClock(nowMs: () => number, startedAt?: string): CallClock {
  let noted = 0;
  let calls: readonly ApiCalls[] = [];
  let unseenSinceMs = startedAt === undefined ? undefined : Date.parse(startedAt);
  return {
    note(total = 0) {
      if (total <= noted) return;
      const now = nowMs();
      const fromMs = Math.min(unseenSinceMs ?? now, now);
      calls = addCalls(calls, spreadCalls(total - noted, fromMs, now), now);
      noted = total;
      unseenSinceMs = undefined;
    },
    calls: () => calls,
  };
}
