import type { LoopError } from '../base/index.ts';
import type { Loop, ShownLoop } from '../core/index.ts';
import { isAlive } from '../process/index.ts';
import type { Status } from '../protocol/index.ts';
import type { LoopOnDisk, OwnerRecord } from '../store/index.ts';

/** A loop seen from outside. */
export interface LoopView<Seen extends ShownLoop = Loop> {
  readonly loop: Seen;
  readonly folder: string;
  /** The public word: a loop that says it runs but has lost its owner is shown as crashed. */
  readonly shownStatus: Status | 'idle';
  readonly owner?: OwnerRecord & { readonly alive: boolean };
  /** The agent that works on it right now, also when nobody drives the loop. */
  readonly agentPid?: number;
  readonly problems: readonly string[];
}

/** A loop that cannot be read, and why. */
export interface UnreadableLoop {
  readonly loopId: string;
  readonly error: LoopError;
}

/** All loops of a place, as far as they can be read. */
export interface ListedLoops<Seen extends ShownLoop = Loop> {
  readonly loops: readonly LoopView<Seen>[];
  readonly unreadable: readonly UnreadableLoop[];
}

/** What a loop on disk looks like from outside. */
export function viewOf<Seen extends ShownLoop>({ owner, folder, problems }: LoopOnDisk, loop: Seen): LoopView<Seen> {
  const isLost = (loop.status === 'running' || loop.status === 'completing') && owner?.alive !== true;
  return {
    loop,
    folder,
    shownStatus: isLost ? 'crashed' : loop.status,
    ...(owner === undefined ? {} : { owner }),
    ...agentOf(loop),
    problems: problems.map(({ message }) => message),
  };
}

function agentOf({ current }: ShownLoop): { readonly agentPid?: number } {
  const agent = current?.stage === 'executing' ? current.process : undefined;
  return agent !== undefined && isAlive(agent) ? { agentPid: agent.pid } : {};
}
