import { createFileExclusively, type FilePort, look, quietly, readWhole } from '../../files/index.ts';
import type { HeldLock } from '../lock/lock-port.ts';
import { parseDocument } from '../snapshot.ts';

const leaseMs = 30_000;
const limit = 64 * 1024;

/** Who requests a lease, and the current time. */
export interface LeaseRequest {
  readonly files: FilePort;
  readonly now: () => Date;
  readonly pid: number;
  readonly isRunning: (pid: number) => boolean;
}

/** Takes a lock file in the form of AIWG's tools; undefined while a live process holds it. */
export function takeLease(request: LeaseRequest, file: string): HeldLock | undefined {
  const { files, now, pid } = request;
  const token = files.uniqueName();
  const nowMs = now().getTime();
  const content = { pid, timestamp: nowMs, leaseExpiry: nowMs + leaseMs, fencingToken: token };
  if (createFileExclusively(files, file, Buffer.from(`${JSON.stringify(content)}\n`))) {
    return {
      release: () => {
        if (read(files, file)?.['fencingToken'] === token) files.remove(file);
      },
    };
  }
  if (look(files, file)?.kind === 'file' && isOver(request, read(files, file))) quietly(() => files.remove(file));
  return undefined;
}

// Expired: its time is up, its process has ended, or its content cannot be read.
function isOver({ now, isRunning }: LeaseRequest, lease: Readonly<Record<string, unknown>> | undefined): boolean {
  if (!lease) return true;
  const { leaseExpiry, pid } = lease;
  const expiresMs = typeof leaseExpiry === 'number' ? leaseExpiry : Date.parse(String(leaseExpiry));
  if (!(expiresMs > now().getTime())) return true;
  return typeof pid === 'number' && !isRunning(pid);
}

function read(files: FilePort, file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parseDocument(readWhole(files, file, { limit }));
  } catch {
    return undefined;
  }
}
