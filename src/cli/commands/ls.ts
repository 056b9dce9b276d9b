import { type LoopView, showLoops } from '../../app/index.ts';
import { roughDuration, scrub } from '../../base/index.ts';
import { isTerminal, nearestFirst, type ShownLoop, standings, waitLeftMs } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

type View = LoopView<ShownLoop>;

/** `ralphd ls`: all loops of the project, the newest last. */
export async function lsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { loops, unreadable } = await showLoops(await placeFor(invocation, surroundings));
  const sorted = loops.toSorted((a, b) => (a.loop.startedAt ?? '').localeCompare(b.loop.startedAt ?? ''));
  const { stdout, stderr } = surroundings;
  if (invocation.options['json'] === true) {
    const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
    const nowMs = Date.now();
    stdout.write(jsonLine({ loops: sorted.map((view) => summary(view, nowMs)), unreadable: broken }));
    return 0;
  }
  if (sorted.length === 0 && unreadable.length === 0)
    stderr.write('No loops here. Start one with: ralphd run "TASK" --verify CMD\n');
  const width = Math.max(...sorted.map(({ loop }) => loop.id.length), 4);
  const shown = { width, stdout, nowMs: Date.now() };
  if (sorted.length > 0) stdout.write(`${paintFor(stdout).dim(heading(width))}\n`);
  for (const view of sorted) stdout.write(`${line(view, shown)}\n`);
  for (const { loopId, error } of unreadable) stderr.write(scrub(`${loopId}: ${error.failure.message}\n`));
  return 0;
}

const stopWidth = 20;

function heading(width: number): string {
  return `${'loop'.padEnd(width)}  ${'status'.padEnd(10)}  ${'done'.padStart(7)}  ${'started'.padEnd(16)}  ${'next stop'.padEnd(stopWidth)}  task`;
}

/** How the table is drawn, and when. */
interface Shown {
  readonly width: number;
  readonly stdout: NodeJS.WriteStream;
  readonly nowMs: number;
}

function line(view: View, { width, stdout, nowMs }: Shown): string {
  const { loop, shownStatus } = view;
  const paint = paintFor(stdout);
  const colour = { completed: paint.good, running: paint.note, paused: paint.warn }[shownStatus as string] ?? paint.bad;
  const iterations = `${loop.iteration}/${loop.config.maxIterations === 0 ? '∞' : loop.config.maxIterations}`;
  const started = (loop.startedAt ?? '').slice(0, 16).replace('T', ' ');
  const stop = nextStopText(view, nowMs).padEnd(stopWidth);
  return `${loop.id.padEnd(width)}  ${colour(shownStatus.padEnd(10))}  ${iterations.padStart(7)}  ${paint.dim(started)}  ${stop}  ${oneLine(loop.task, 60)}`;
}

/** What holds a loop up, or would end it next; for one that is over, what ended it. */
function nextStopText({ loop }: View, nowMs: number): string {
  const leftMs = waitLeftMs(loop, nowMs);
  if (leftMs > 0) return `waits ${roughDuration(leftMs)}`;
  if (loop.status === 'completed') return '';
  if (isTerminal(loop.status) || loop.status === 'paused') return loop.reason ?? '';
  const nearest = nearestRule(loop);
  return nearest === undefined ? '' : `${nearest.key ?? nearest.rule} ${Math.floor((nearest.near ?? 0) * 100)}%`;
}

/** The stop rule that is nearest, of those that have moved at all. */
function nearestRule(loop: ShownLoop) {
  return nearestFirst(standings(loop)).find(({ near, set }) => near !== null && near > 0 && set !== 'success');
}

function summary({ loop, shownStatus }: View, nowMs: number): Record<string, unknown> {
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
    nextStop: (!isTerminal(loop.status) && nearestRule(loop)) || null,
    waitLeftMs: loop.wait === undefined ? undefined : waitLeftMs(loop, nowMs),
  };
}
