import { createLoopId, LoopError, sha256 } from '../../base/index.ts';
import { dueRuns, firstDue, parseEvery, runKey } from '../../core/index.ts';
import type { DueSchedule, Fired, Fleet, Patience, Schedule, Submission } from '../../fleet/index.ts';
import { readRequest, writeRequest } from './request.ts';

/** A schedule from what a person wrote; refuses a rule that cannot be read. */
export function newSchedule(
  given: Pick<Schedule, 'id' | 'every' | 'zone' | 'missed' | 'submission'>,
  nowMs: number,
): Schedule {
  return { ...given, nextMs: firstDue(parseEvery(given.every, given.zone), nowMs) };
}

/** Submits the loops whose time has come. One that this version cannot read holds nothing else up. */
export async function fireSchedules(
  fleet: Fleet,
  { report = () => {}, ...patience }: Patience & { readonly report?: (message: string) => void },
): Promise<void> {
  for (const due of await fleet.dueSchedules(patience)) {
    const fired = readDue(due);
    if (fired instanceof LoopError) report(`Schedule ${due.id} starts nothing: ${fired.message}`);
    else await fleet.fire(fired, patience);
  }
}

function readDue(due: DueSchedule): Fired | LoopError {
  const { id, every, zone, missed, nextMs: dueMs, nowMs } = due;
  try {
    const { runs, nextMs } = dueRuns({ recurrence: parseEvery(every, zone), nextMs: dueMs, nowMs, missed });
    return { id, dueMs, nextMs, submissions: runs.map((at) => submissionAt(due, at)) };
  } catch (error) {
    if (error instanceof LoopError) return error;
    throw error;
  }
}

/** The loop of a due time: always the same, whoever asks. */
function submissionAt({ id, submission }: DueSchedule, atMs: number): Submission {
  const digest = sha256(runKey(id, atMs));
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `4${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  const uuid = [...parts, digest.slice(20, 32)].join('-');
  const loopId = createLoopId(submission.title, uuid);
  const request = writeRequest({ ...readRequest(loopId, submission.request), uuid });
  return { ...submission, id: loopId, request };
}
