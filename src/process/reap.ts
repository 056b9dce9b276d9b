import { isAlive, type ProcessIdentity } from './identity.ts';
import { maySignal, signalGroup, signalProcess } from './signals.ts';
import { sweep } from './sweep.ts';
import { processTable } from './table.ts';
import { dismissTeam } from './team.ts';
import { holdsWithin } from './waiting.ts';

/** How a process is asked to end. */
export interface Grace {
  readonly graceMs: number;
  /** SIGTERM when left out. */
  readonly stopSignal?: NodeJS.Signals | undefined;
  /** Cuts the grace short. */
  readonly killSignal?: AbortSignal | undefined;
}

/** The numbers of all running processes that carry this marker, wherever they moved to. */
export function findByMarker(marker: string): number[] {
  return processTable.marked(marker).map((row) => row.pid);
}

/** Kills everything that carries this marker, then its keeper; returns what could not be ended. */
export async function endByMarker(marker: string): Promise<number[]> {
  return [...(await sweep(marker)), ...(await endKeeper(marker))];
}

/**
 * Ends what an earlier ralphd left: first exactly that process and its group, with grace, then everything that
 * carries the marker, then the keeper. Returns what could not be ended.
 */
export async function endByIdentity(identity: ProcessIdentity, marker: string, grace: Grace): Promise<number[]> {
  const { graceMs, stopSignal = 'SIGTERM', killSignal } = grace;
  const members = signalWithGroup(identity, stopSignal);
  signalWithGroup(identity, 'SIGCONT');
  await holdsWithin(() => !isAlive(identity), graceMs, killSignal);
  return [...(await sweep(marker, members)), ...(await endKeeper(marker))];
}

/**
 * Ends one process and nothing else: asks it to, continues it if it is stopped, and kills it after its grace period.
 * `failed` if it still exists after that: it belongs to another user, or hangs in the kernel.
 */
export async function endProcess(
  identity: ProcessIdentity,
  { graceMs, stopSignal = 'SIGTERM' }: Grace,
): Promise<'ended' | 'killed' | 'failed'> {
  const isGone = () => !isAlive(identity);
  if (!isGone() && !maySignal(identity.pid)) return 'failed';
  signalProcess(identity, stopSignal);
  signalProcess(identity, 'SIGCONT');
  if (await holdsWithin(isGone, graceMs)) return 'ended';
  signalProcess(identity, 'SIGKILL');
  return (await holdsWithin(isGone, killedMs)) ? 'killed' : 'failed';
}

/** How long the system may take to end a process that was killed. */
const killedMs = 5_000;

/** Ends the keeper of an attempt, and an agent that it has started in the meantime. */
async function endKeeper(marker: string): Promise<number[]> {
  return [...(await dismissTeam(marker)), ...(await sweep(marker))];
}

/** Signals the process if it is still the same one, with its group if it leads one; returns what was signalled. */
function signalWithGroup(identity: ProcessIdentity, signal: NodeJS.Signals) {
  if (!isAlive(identity)) return [];
  const row = processTable.read(identity.pid);
  if (row === undefined) return [];
  if (row.groupId !== row.pid) {
    signalProcess(row, signal);
    return [row];
  }
  const members = processTable.inGroup(row.pid);
  signalGroup(row.pid, signal);
  return members;
}
