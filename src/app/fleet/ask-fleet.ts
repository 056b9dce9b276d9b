import { failures, LoopError } from '../../base/index.ts';
import type { LoopCommand } from '../../core/index.ts';
import type { Fleet } from '../../fleet/index.ts';
import type { AnsweredLoop } from '../adapters/command-answers.ts';
import type { LoopView } from '../loop-view.ts';
import type { AskRemote } from '../remote-loops.ts';
import { createFleetCommandBus } from './fleet-command-bus.ts';
import { createFleetEventBus } from './fleet-event-bus.ts';

const answerPatienceMs = 20_000;

/** Sends a command to a loop of a fleet, and waits for the answer of the worker that drives it, or takes it up to answer. */
export async function askFleet(
  { fleet, refresh }: { readonly fleet: Fleet; readonly refresh: () => Promise<void> },
  { loop }: LoopView,
  command: LoopCommand,
  { signal, patienceMs = answerPatienceMs }: Parameters<AskRemote>[2],
): Promise<AnsweredLoop> {
  const bus = createFleetCommandBus(fleet, createFleetEventBus(fleet));
  const over = AbortSignal.timeout(patienceMs);
  try {
    const answered = await bus.ask(loop, command, { signal: AbortSignal.any([over, ...(signal ? [signal] : [])]) });
    await refresh();
    return answered;
  } catch (error) {
    if (!over.aborted) throw error;
    throw new LoopError(failures.fleetUnanswered(loop.id, command.command));
  }
}
