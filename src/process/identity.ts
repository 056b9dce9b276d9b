import { hostname } from 'node:os';
import type { ProcessRow } from './process-row.ts';
import { processTable } from './table.ts';

/** Identifies one process uniquely; its number alone is reused sooner or later. */
export interface ProcessIdentity {
  readonly host: string;
  /** Changes with every start of the machine. */
  readonly bootId: string;
  readonly pid: number;
  /** In the system's own form; only ever compared for equality. */
  readonly startTime: string;
}

let machine: Pick<ProcessIdentity, 'host' | 'bootId'> | undefined;

/** The identity of the calling process. */
export function selfIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('the process table does not show this process');
  return identity;
}

/** The identity of whatever process has this number now, or undefined when none has. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const row = processTable.read(pid);
  return row && { ...thisMachine(), pid, startTime: row.startTime };
}

/** Whether exactly that process still runs on this machine; false for a process of another machine or boot. */
export function isAlive(identity: ProcessIdentity): boolean {
  return rowOf(identity) !== undefined;
}

/** Whether exactly that process is stopped (Ctrl-Z, SIGSTOP). */
export function isStopped(identity: ProcessIdentity): boolean {
  return rowOf(identity)?.stopped === true;
}

function rowOf({ host, bootId, pid, startTime }: ProcessIdentity): ProcessRow | undefined {
  const here = thisMachine();
  if (host !== here.host || bootId !== here.bootId) return undefined;
  const row = processTable.read(pid);
  return row !== undefined && row.startTime === startTime && !row.zombie ? row : undefined;
}

/** Whether a process still lives, as far as it can be determined from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/**
 * Whether exactly that process is alive. A process on another machine, or in a container with another name, cannot be
 * checked from here and must not be treated as dead.
 */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const { host, bootId } = thisMachine();
  // A machine may get another name while it runs; it does not get another boot.
  if (isAlive({ ...identity, host: identity.bootId === bootId ? host : identity.host })) return 'alive';
  return identity.host === host ? 'dead' : 'unknown';
}

/** This machine since it was last started. */
export function thisMachine(): Pick<ProcessIdentity, 'host' | 'bootId'> {
  machine ??= { host: hostname(), bootId: processTable.bootId() };
  return machine;
}
