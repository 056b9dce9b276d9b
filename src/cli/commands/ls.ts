import { type LoopView, showLoops } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import type { ShownLoop } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd ls`: all loops of the project, the newest last. */
export async function lsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { loops, unreadable } = await showLoops(await placeFor(invocation, surroundings));
  const sorted = loops.toSorted((a, b) => (a.loop.startedAt ?? '').localeCompare(b.loop.startedAt ?? ''));
  const { stdout, stderr } = surroundings;
  if (invocation.options['json'] === true) {
    const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
    stdout.write(jsonLine({ loops: sorted.map(summary), unreadable: broken }));
    return 0;
  }
  if (sorted.length === 0 && unreadable.length === 0)
    stderr.write('No loops here. Start one with: ralphd run "TASK" --verify CMD\n');
  const width = Math.max(...sorted.map(({ loop }) => loop.id.length), 0);
  for (const view of sorted) stdout.write(`${line(view, width, stdout)}\n`);
  for (const { loopId, error } of unreadable) stderr.write(scrub(`${loopId}: ${error.failure.message}\n`));
  return 0;
}

function line({ loop, shownStatus }: LoopView<ShownLoop>, width: number, stdout: NodeJS.WriteStream): string {
  const paint = paintFor(stdout);
  const colour = { completed: paint.good, running: paint.note, paused: paint.warn }[shownStatus as string] ?? paint.bad;
  const iterations = `${loop.iteration}/${loop.config.maxIterations === 0 ? '∞' : loop.config.maxIterations}`;
  const started = (loop.startedAt ?? '').slice(0, 16).replace('T', ' ');
  return `${loop.id.padEnd(width)}  ${colour(shownStatus.padEnd(10))}  ${iterations.padStart(7)}  ${paint.dim(started)}  ${oneLine(loop.task, 60)}`;
}

function summary({ loop, shownStatus }: LoopView<ShownLoop>): Record<string, unknown> {
  const { id: loopId, iteration, reason, verified, startedAt, lastActivityAt, task, agent } = loop;
  return {
    loopId,
    status: shownStatus,
    iteration,
    reason,
    verified,
    startedAt,
    lastActivityAt,
    agent,
    task: oneLine(task, 200),
  };
}
