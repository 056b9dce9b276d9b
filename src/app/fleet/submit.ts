import { randomUUID } from 'node:crypto';
import { createLoopId, failures, LoopError, slugLoopId } from '../../base/index.ts';
import type { Fleet, Schedule, Submission } from '../../fleet/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { thisMachine } from '../machine.ts';
import { userName } from '../user-name.ts';
import { type LoopRequest, writeRequest } from './request.ts';
import { newSchedule } from './schedules.ts';
import { assertFleetCan } from './settings.ts';

/** A loop for whichever worker can drive it. */
export interface NewSubmission extends Omit<LoopRequest, 'uuid'> {
  readonly priority: number;
  readonly account?: string | undefined;
  readonly labels: readonly string[];
}

/** When a loop is to begin, again and again. */
export interface Repeating {
  readonly every: string;
  readonly zone: string;
  readonly missed: Schedule['missed'];
}

/** Has a loop begin again and again; returns the name of the schedule. */
export async function scheduleLoop(fleet: Fleet, submission: NewSubmission, repeating: Repeating): Promise<string> {
  const { config } = submission;
  const uuid = randomUUID();
  const { id: _id, ...row } = rowOf(submission, uuid);
  const id = config.loopId ?? createLoopId(titleOf(config), uuid);
  const { loopId: _loopId, ...unnamed } = config;
  const request = writeRequest({ ...submission, config: unnamed, uuid });
  const schedule = newSchedule({ id, ...repeating, submission: { ...row, request, byPerson: false } }, clockMs());
  const isNew = await fleet.addSchedule(schedule, { patienceMs: 10_000 });
  if (!isNew) throw new LoopError(failures.scheduleExists(id));
  return id;
}

function clockMs(): number {
  return thisMachine.clock.nowMs();
}

/** Queues a loop; returns its id. */
export async function submitLoop(fleet: Fleet, submission: NewSubmission): Promise<string> {
  const row = rowOf(submission, randomUUID());
  const isNew = await fleet.submit(row, { patienceMs: 10_000 });
  if (!isNew) throw new LoopError(failures.loopExists(row.id, fleet.address.place));
  return row.id;
}

function rowOf(submission: NewSubmission, uuid: string): Submission {
  const { config, priority, account, labels, repository } = submission;
  assertFleetCan(config);
  const title = titleOf(config);
  const id = config.loopId === undefined ? createLoopId(title, uuid) : slugLoopId(config.loopId, uuid);
  const request = writeRequest({ ...submission, uuid });
  const row = { id, request, title, priority, byPerson: true, agent: config.agent, labels, repository };
  return { ...row, submittedBy: userName() ?? 'unknown', ...(account === undefined ? {} : { account }) };
}

function titleOf({ prompt, promptPath }: LoopConfig): string {
  return (prompt ?? promptPath ?? 'task').split('\n', 1)[0]?.slice(0, 200) ?? 'task';
}
