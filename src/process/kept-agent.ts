import type { LeftProcesses } from './connection.ts';
import type { Exited, Lost, Signalled, Stopped } from './ending.ts';
import type { ProcessIdentity } from './identity.ts';
import type { FreshProcesses, ProcessRow } from './process-row.ts';
import { signalGroup, signalProcess } from './signals.ts';
import type { Subject } from './subject.ts';
import { processTable } from './table.ts';
import { type Draining, findTeam, wake } from './team.ts';
import { createTree, type ProcessTree } from './tree.ts';

/** How an agent ended, as its keeper reports it. */
export type KeptEnding = Exited | Signalled | Stopped | Lost;

/** An agent that runs under a keeper. */
export interface KeptAgent extends Subject<KeptEnding> {
  readonly kind: 'kept';
  readonly identity: ProcessIdentity;
  readonly tree: ProcessTree;
  /** Finds what carries its marker; without it, all processes have to be searched. */
  readonly findMarked?: (() => readonly ProcessRow[]) | undefined;
  /**
   * Releases the keeper once nothing of the agent is left, and waits until all of its output is written. Returns what
   * could not be ended.
   */
  readonly release: (draining: Pick<Draining, 'outputBytes' | 'keep'>) => Promise<number[]>;
}

/** What is known of an agent's processes besides its own. */
export interface AgentTraces {
  readonly marker: string;
  /** Those that started with it or after it; left out, all have to be searched. */
  readonly fresh?: FreshProcesses;
  /** What its keeper knows of those that are left. */
  readonly left?: () => LeftProcesses;
  readonly keeper?: ProcessIdentity | undefined;
}

/** The handling of an agent's processes that does not depend on who started it. */
export function handleAgent(identity: ProcessIdentity, { marker, fresh, left = () => 'unknown', keeper }: AgentTraces) {
  const { pid } = identity;
  const tree = createTree(identity, () => performance.now(), fresh && (() => fresh.all(pid)));
  // They may have shed their environment, their group and their output, but cannot choose who adopts them.
  const orphans = () => (left() === 'orphans' ? (fresh?.all(pid) ?? []) : []).filter(isChildOf(keeper));
  return {
    identity,
    pid,
    tree,
    findMarked: fresh && (() => (left() === 'nothing' ? [] : [...fresh.marked(marker, pid), ...orphans()])),
    signal: (signal: NodeJS.Signals) => {
      signalAgent(identity, signal);
      if (signal === 'SIGCONT') wake(findTeam(marker));
    },
    left: () => (left() === 'nothing' ? [] : [...leftOfGroup(identity), ...tree.running()]),
  };
}

function isChildOf(parent: ProcessIdentity | undefined): (row: ProcessRow) => boolean {
  return ({ parentId, zombie }) => parentId === parent?.pid && !zombie;
}

/** Whether a keeper runs; one that was stopped is continued. */
export function isWorking({ pid, startTime }: ProcessIdentity): boolean {
  const row = processTable.read(pid);
  if (row?.startTime !== startTime || row.zombie) return false;
  wake([row]);
  return true;
}

/** As long as the agent is not collected its group number is certainly its own; after that, the group is not used. */
function signalAgent(agent: ProcessIdentity, signal: NodeJS.Signals): void {
  const row = processTable.read(agent.pid);
  if (row?.startTime !== agent.startTime) return;
  // It has only just been forked and leads no group yet.
  if (row.groupId !== row.pid) return signalProcess(row, signal);
  signalGroup(row.pid, signal);
}

/** What is left of the agent's group; a group with another first process belongs to someone else. */
function leftOfGroup({ pid, startTime }: ProcessIdentity): readonly ProcessRow[] {
  const first = processTable.read(pid);
  const isAnothers = first !== undefined && first.startTime !== startTime;
  return !isAnothers && signalGroup(pid, 0) ? processTable.inGroup(pid) : [];
}
