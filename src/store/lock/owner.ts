import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { type FilePort, look, quietly, readWhole, writeFileDurably } from '../../files/index.ts';

/** Identifies one process uniquely; a pid alone is soon reused. */
export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  readonly startTime: string;
}

/** Who drives, or last drove, a loop. A note for others to read; the lock alone decides. */
export interface OwnerRecord extends ProcessIdentity {
  readonly epoch: number;
  readonly since: string;
}

const limit = 64 * 1024;

/** Records next to the lock who holds it. */
export function writeOwner(files: FilePort, folder: string, owner: OwnerRecord): void {
  const { host, bootId, pid, startTime, epoch, since } = owner;
  const text = `${JSON.stringify({ host, bootId, pid, startTime, epoch, since }, undefined, 2)}\n`;
  writeFileDurably(files, ownerPath(folder), Buffer.from(text));
}

/** Reads who holds the lock; undefined if there is no note. */
export function readOwner(files: FilePort, folder: string): OwnerRecord | undefined {
  const place = ownerPath(folder);
  if (look(files, place) === undefined) return undefined;
  try {
    return parseOwner(JSON.parse(readWhole(files, place, { limit }).toString('utf8')));
  } catch (error) {
    if (error instanceof LoopError && error.failure.code === 'UNSAFE_PATH') throw error;
    return undefined;
  }
}

/** Whether an owner's note still exists: it did not exit cleanly, or has not exited. */
export function hasOwnerNote(files: FilePort, folder: string): boolean {
  return look(files, ownerPath(folder)) !== undefined;
}

/** Removes the note when the owner exits cleanly. */
export function removeOwner(files: FilePort, folder: string): void {
  quietly(() => files.remove(ownerPath(folder)));
}

function ownerPath(folder: string): string {
  return path.join(folder, 'owner.json');
}

function parseOwner(value: unknown): OwnerRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { host, bootId, pid, startTime, epoch, since }: Record<string, unknown> = { ...value };
  if (typeof host !== 'string' || typeof bootId !== 'string' || typeof startTime !== 'string') return undefined;
  if (typeof pid !== 'number' || typeof epoch !== 'number' || typeof since !== 'string') return undefined;
  return { host, bootId, pid, startTime, epoch, since };
}
