import { type LoopStatus, listStatuses } from '../../app/index.ts';
import { byText, scrub } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { loopTable, nearestRule } from '../output/loop-table.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine, widthOf } from '../output/plain.ts';
import { waitLeftMs } from '../output/wait-left.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd ls`: all loops of the project, the newest last. */
export async function lsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { loops, unreadable } = await listStatuses(await placeFor(invocation, surroundings));
  const sorted = loops.toSorted((one, other) => byText(one.view.startedAt ?? '', other.view.startedAt ?? ''));
  const { stdout, stderr } = surroundings;
  if (invocation.options['json'] === true) {
    const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
    const nowMs = Date.now();
    stdout.write(jsonLine({ loops: sorted.map((found) => summary(found, nowMs)), unreadable: broken }));
    return 0;
  }
  if (sorted.length === 0 && unreadable.length === 0)
    stderr.write('No loops here. Start one: ralphd run "TASK" --verify CMD\n');
  for (const line of loopTable(sorted, { nowMs: Date.now(), paint: paintFor(stdout), width: widthOf(stdout) }))
    stdout.write(`${line}\n`);
  for (const { loopId, error } of unreadable) stderr.write(scrub(`${loopId}: ${error.failure.message}\n`));
  return 0;
}

function summary({ view, shownStatus, wakeAt }: LoopStatus, nowMs: number): Record<string, unknown> {
  const { id: loopId, iteration, reason, verified, proof, startedAt, task, agent, lastActivityAt, wait } = view;
  return {
    loopId,
    status: shownStatus,
    iteration,
    reason,
    verified,
    proof,
    startedAt,
    lastActivityAt,
    agent,
    task: oneLine(task, 200),
    nextStop: (!isTerminal(view.status) && nearestRule(view.rules)) || null,
    waitLeftMs: wait === undefined ? undefined : waitLeftMs(wait, nowMs),
    wakeAt,
  };
}
