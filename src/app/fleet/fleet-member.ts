import { randomUUID } from 'node:crypto';
import { failures, LoopError } from '../../base/index.ts';
import type { Claim, Fleet, WorkerNote } from '../../fleet/index.ts';
import type { ProcessIdentity } from '../../protocol/index.ts';

/** What a worker offers. */
export type Offer = Pick<WorkerNote, 'machine' | 'version' | 'capacity' | 'agents' | 'labels'> &
  Partial<Pick<WorkerNote, 'accounts' | 'trust' | 'nowMs'>>;

/** A loop that a member owns, and how it learns that it no longer does. */
export interface HeldLoop {
  readonly loopId: string;
  lose(error: LoopError): void;
}

/** This process as a member of the fleet: what it owns is its own until it is declared lost. */
export interface FleetMember {
  readonly id: string;
  readonly fleet: Fleet;
  /** Joins the fleet with the first call; returns the loops of a dead worker of this machine, which are its own now. */
  join(): Promise<readonly Claim[]>;
  /** Ends every lease: another worker may own what it held. */
  declareLost(why: string): void;
  readonly isLost: boolean;
  hold(loop: HeldLoop): Disposable;
}

/** A member under a name that was never used. */
export function createFleetMember(fleet: Fleet, self: ProcessIdentity, offer: Offer): FleetMember {
  const id = randomUUID();
  const held = new Set<HeldLoop>();
  let joined: ReturnType<Fleet['join']> | undefined;
  let lostBecause: string | undefined;
  const { host, bootId, pid, startTime } = self;
  // Field by field: the options of a worker contain its environment.
  const { machine, version, capacity, agents, accounts, labels, trust, nowMs } = offer;
  const offered = { machine, version, capacity, agents, labels };
  const more = { ...(accounts && { accounts }), ...(trust && { trust }), ...(nowMs === undefined ? {} : { nowMs }) };
  const loss = (loopId: string, why: string) => new LoopError(failures.fleetLost(loopId, why));
  return {
    id,
    fleet,
    join: () => (joined ??= fleet.join({ id, host, bootId, pid, startTime, ...offered, ...more })),
    get isLost() {
      return lostBecause !== undefined;
    },
    declareLost(why) {
      lostBecause ??= why;
      for (const loop of held) loop.lose(loss(loop.loopId, why));
    },
    hold(loop) {
      held.add(loop);
      if (lostBecause !== undefined) loop.lose(loss(loop.loopId, lostBecause));
      return { [Symbol.dispose]: () => void held.delete(loop) };
    },
  };
}
