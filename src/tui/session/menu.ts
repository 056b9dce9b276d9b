import { loopNameOf } from '../../base/index.ts';
import { allowedCommands, type LoopOrder } from '../../core/index.ts';
import type { LoopModel } from '../../views/index.ts';
import type { MenuEntry } from '../screens/overlays.ts';

/** An entry of the menu with the command that it sends. */
export interface OrderEntry extends MenuEntry {
  readonly order: LoopOrder;
  /** What is asked before it is sent. */
  readonly question?: string;
}

/** Everything behind `x`: only what the loop accepts now, each with its consequence. */
export function orderEntries({ loop, view }: LoopModel): readonly OrderEntry[] {
  const allowed = allowedCommands(loop);
  const name = loopNameOf(loop.id);
  const [now, next] = [view.iteration, view.iteration + 1];
  const isAsking = view.question !== undefined;
  const isWorking = view.current !== undefined;
  const entries: readonly OrderEntry[] = [
    { key: 'c', name: 'continue', does: 'approve what it asks', order: { command: 'continue' } },
    {
      key: 's',
      name: 'skip',
      does: isAsking
        ? 'not this iteration, or not this result'
        : `give up iteration ${now}, which counts, and start ${next}`,
      order: { command: 'skip' },
    },
    { key: 'b', name: 'reboot', does: 'give the next iteration a new session', order: { command: 'reboot' } },
    {
      key: 'n',
      name: 'pause now',
      does: isWorking ? `interrupt; iteration ${now} is tried again after resume` : 'pause at once',
      order: { command: 'pause', now: true },
    },
    {
      key: 't',
      name: 'stop',
      does: 'end the loop permanently; its agent may shut down cleanly',
      order: { command: 'stop' },
      question: `End ${name} permanently? Its agent shuts down cleanly, and the work stays in the work tree.`,
    },
    {
      key: 'a',
      name: 'abort',
      does: 'end the loop permanently and at once',
      order: { command: 'abort' },
      question: `End ${name} permanently and kill its agent now? The work stays in the work tree.`,
    },
  ];
  return entries.filter(({ order }) => allowed.includes(order.command));
}
