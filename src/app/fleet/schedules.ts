import { createLoopId, sha256 } from '../../base/index.ts';
import { dueRuns, firstDue, parseEvery, runKey } from '../../core/index.ts';
import type { DueSchedule, Fleet, Patience, Schedule, Submission } from '../../fleet/index.ts';
import { readRequest, writeRequest } from './request.ts';

/** A schedule from what a person wrote; refuses a rule that cannot be read. */
export function newSchedule(
  given: Pick<Schedule, 'id' | 'every' | 'zone' | 'missed' | 'submission'>,
  nowMs: number,
): Schedule {
  return { ...given, nextMs: firstDue(parseEvery(given.every, given.zone), nowMs) };
}

/** Submits the loops whose time has come. */
export async function fireSchedules(fleet: Fleet, patience: Patience): Promise<void> {
  for (const due of await fleet.dueSchedules(patience)) {
    const { id, every, zone, missed, nextMs: dueMs, nowMs } = due;
    const recurrence = parseEvery(every, zone);
    const { runs, nextMs } = dueRuns({ recurrence, nextMs: dueMs, nowMs, missed });
    const submissions = runs.map((at) => submissionAt(due, at));
    await fleet.fire({ id, dueMs, nextMs, submissions }, patience);
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
