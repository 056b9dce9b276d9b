import type { Submission, WorkerNote } from '../../src/fleet/index.ts';
import { workerNote } from '../support/postgres/fleet.ts';

/** A worker on a machine of its own. */
export function sampleWorker(id: string): WorkerNote {
  return { ...workerNote, id, machine: id };
}

/** A loop that every such worker can drive. */
export function sampleSubmission(id: string, more: Partial<Submission> = {}): Submission {
  const who = { priority: 0, byPerson: true, agent: 'claude', labels: [], submittedBy: 'tester' };
  return { id, request: `{"id":"${id}"}`, title: id, ...who, ...more };
}
