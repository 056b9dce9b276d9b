import type { LoopError } from '../base/index.ts';
import type { Loop } from '../core/index.ts';
import { isAlive, type ProcessIdentity } from '../process/index.ts';
import type { Pulse, Sender, Status, StoredView } from '../protocol/index.ts';
import type { LoopGlance, LoopOnDisk } from '../store/index.ts';
import { isParkedLoop, type OwnerState, shownStatusOf } from '../views/index.ts';
import type { BackupStanding } from './backups/records.ts';
import { type LandedInto, landedInto } from './land-record.ts';
import { ownerStateOf } from './owner-state.ts';

/** What only a loop's files and processes reveal. */
interface Surroundings {
  readonly folder: string;
  /** The number of its last fact. */
  readonly lastSeq: number;
  /** The public status: a running loop whose owner is dead is crashed, one whose owner cannot be checked is not. */
  readonly shownStatus: Status | 'idle';
  /** When to resume a waiting loop that no process runs, because its owner shut down cleanly. */
  readonly wakeAt?: string;
  /** The interactive session that works on it while no process runs it. */
  readonly hostSession?: NonNullable<StoredView['hostSession']>;
  readonly owner?: LoopOnDisk['owner'];
  readonly ownerState: OwnerState;
  /** The agent that works on it right now, even if no process runs the loop. */
  readonly agentPid?: number;
  readonly problems: readonly string[];
}

/** A command that waits for its answer. Its text, such as guidance, may contain secrets and is not shown. */
export interface PendingCommand {
  readonly id: string;
  readonly command: string;
  /** Only for a pause that does not wait for the end of the iteration. */
  readonly now?: boolean;
  readonly sender?: Sender;
  readonly sentAt: string;
}

/** A loop for display. */
export interface LoopStatus extends Surroundings {
  readonly view: StoredView;
  /** What the loop is doing right now, if its owner reports it. */
  readonly pulse?: Pulse;
  /** Where its work has landed. */
  readonly landed?: LandedInto;
  /** Commands sent to it that no process has answered yet, oldest first. */
  readonly pending?: readonly PendingCommand[];
  /** The newest loop that continues this ended one. */
  readonly continuedBy?: string;
  /** How its backup targets stand. */
  readonly backups?: readonly BackupStanding[];
}

/** A loop for commands that act on it. */
export interface LoopView extends Surroundings {
  readonly loop: Loop;
}

/** A loop that cannot be read, and why. */
export interface UnreadableLoop {
  readonly loopId: string;
  readonly error: LoopError;
}

/** All loops of a place, as far as they can be read. */
export interface ListedLoops<Listed = LoopView> {
  readonly loops: readonly Listed[];
  readonly unreadable: readonly UnreadableLoop[];
}

/** A loop on disk with its view. */
export function statusOf(found: LoopGlance, view: StoredView): LoopStatus {
  const landed = view.worktree === undefined ? undefined : landedInto(found.folder);
  return { view, ...surroundingsOf(found, view, view.agentProcess), ...(landed && { landed }) };
}

/** A loop on disk with its state. */
export function loopViewOf(found: LoopOnDisk, loop: Loop): LoopView {
  const { current } = loop.position;
  const agent = current?.stage === 'executing' ? current.process : undefined;
  return { loop, ...surroundingsOf(found, { status: loop.status, ...loop.pending }, agent) };
}

function surroundingsOf(
  { owner, folder, lastSeq, problems }: LoopGlance,
  { status, wakeAt, hostSession }: Pick<StoredView, 'status' | 'wakeAt' | 'hostSession'>,
  agent: ProcessIdentity | undefined,
): Surroundings {
  const ownerState = ownerStateOf(owner);
  const isParked = isParkedLoop({ status, wakeAt }, ownerState);
  return {
    folder,
    lastSeq,
    shownStatus: shownStatusOf({ status, wakeAt }, ownerState),
    ...(isParked && hostSession === undefined ? { wakeAt } : {}),
    ...(isParked && hostSession !== undefined ? { hostSession } : {}),
    ...(owner === undefined ? {} : { owner }),
    ownerState,
    ...(agent !== undefined && isAlive(agent) ? { agentPid: agent.pid } : {}),
    problems: problems.map(({ message }) => message),
  };
}
