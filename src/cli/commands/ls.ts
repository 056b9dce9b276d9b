import { type LoopView, showLoops } from '../../app/index.ts';
import { byText, scrub } from '../../base/index.ts';
import { isTerminal, type ShownLoop, waitLeftMs } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { loopTable, nearestRule } from '../output/loop-table.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine, widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

type View = LoopView<ShownLoop>;

/** `ralphd ls`: all loops of the project, the newest last. */
export async function lsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { loops, unreadable } = await showLoops(await placeFor(invocation, surroundings));
  const sorted = loops.toSorted((one, other) => byText(one.loop.startedAt ?? '', other.loop.startedAt ?? ''));
  const { stdout, stderr } = surroundings;
  if (invocation.options['json'] === true) {
    const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
    const nowMs = Date.now();
    stdout.write(jsonLine({ loops: sorted.map((view) => summary(view, nowMs)), unreadable: broken }));
    return 0;
  }
  if (sorted.length === 0 && unreadable.length === 0)
    stderr.write('No loops here. Start one with: ralphd run "TASK" --verify CMD\n');
  for (const line of loopTable(sorted, { nowMs: Date.now(), paint: paintFor(stdout), width: widthOf(stdout) }))
    stdout.write(`${line}\n`);
  for (const { loopId, error } of unreadable) stderr.write(scrub(`${loopId}: ${error.failure.message}\n`));
  return 0;
}

function summary({ loop, shownStatus }: View, nowMs: number): Record<string, unknown> {
  const { id: loopId, iteration, reason, verified, proof = 'none', startedAt, lastActivityAt, task, agent } = loop;
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
    nextStop: (!isTerminal(loop.status) && nearestRule(loop)) || null,
    waitLeftMs: loop.wait === undefined ? undefined : waitLeftMs(loop, nowMs),
  };
}
