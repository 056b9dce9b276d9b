import { randomUUID } from 'node:crypto';
import { createLoopId, failures, LoopError, slugLoopId } from '../../base/index.ts';
import type { Fleet } from '../../fleet/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { userName } from '../user-name.ts';
import { type LoopRequest, writeRequest } from './request.ts';

/** A loop for whichever worker can drive it. */
export interface NewSubmission extends Omit<LoopRequest, 'uuid'> {
  readonly priority: number;
  readonly account?: string | undefined;
  readonly labels: readonly string[];
}

/** Queues a loop; returns its id. */
export async function submitLoop(fleet: Fleet, submission: NewSubmission): Promise<string> {
  const { config, priority, account, labels } = submission;
  const uuid = randomUUID();
  const title = titleOf(config);
  const id = config.loopId === undefined ? createLoopId(title, uuid) : slugLoopId(config.loopId, uuid);
  const request = writeRequest({ ...submission, uuid });
  const row = { id, request, title, priority, byPerson: true, agent: config.agent, labels };
  const by = { submittedBy: userName() ?? 'unknown', ...(account === undefined ? {} : { account }) };
  const isNew = await fleet.submit({ ...row, ...by }, { patienceMs: 10_000 });
  if (!isNew) throw new LoopError(failures.loopExists(id, fleet.address.place));
  return id;
}

function titleOf({ prompt, promptPath }: LoopConfig): string {
  return (prompt ?? promptPath ?? 'task').split('\n', 1)[0]?.slice(0, 200) ?? 'task';
}
