import { exists } from './content.ts';
import type { RawPath } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';

const headerBytes = 12;
/** Times, device, inode, mode, owner and size, before the id of an entry. */
const statBytes = 40;
const nameMask = 0x0fff;
const extendedFlag = 0x4000;
const assumeUnchanged = 0x8000;
const skipWorktree = 0x4000;

/**
 * Whether an index flags any file as `assume-unchanged` or `skip-worktree`; undefined where only git can tell, because the
 * index is split or has another format.
 */
export function hasFlaggedFiles(index: RawPath, algorithm: string): boolean | undefined {
  // In place of the index, an agent may have put a pipe, for which nobody may wait.
  const bytes = readSmallFile(index, Number.MAX_SAFE_INTEGER);
  // Without an index, nothing is tracked.
  if (bytes === undefined) return exists(index) ? undefined : false;
  try {
    return findFlag(bytes, algorithm === 'sha256' ? 32 : 20);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function findFlag(bytes: Buffer, idBytes: number): boolean | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = bytes.readUInt16BE(at + statBytes + idBytes);
    const isExtended = (flags & extendedFlag) !== 0;
    if ((flags & assumeUnchanged) !== 0) return true;
    if (isExtended && (bytes.readUInt16BE(at + statBytes + idBytes + 2) & skipWorktree) !== 0) return true;
    const name = at + statBytes + idBytes + (isExtended ? 4 : 2);
    at = version === 4 ? afterSharedName(bytes, name) : at + paddedLength(bytes, at, { name, flags });
  }
  return isSplit(bytes, at, idBytes) ? undefined : false;
}

/** An entry is followed by one to eight zeros, so that its length is a multiple of eight. */
function paddedLength(bytes: Buffer, at: number, { name, flags }: { name: number; flags: number }): number {
  const short = flags & nameMask;
  const end = short < nameMask ? name + short : endOfName(bytes, name);
  return (end - at + 8) & ~7;
}

/** A name that omits what it shares with the one before: how much, as a number of any length, then the rest. */
function afterSharedName(bytes: Buffer, at: number): number {
  let start = at;
  while ((bytes.readUInt8(start) & 0x80) !== 0) start += 1;
  return endOfName(bytes, start + 1) + 1;
}

function endOfName(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0, start);
  if (end === -1) throw new RangeError('the index ends within a name');
  return end;
}

/** Whether the index names another one that holds most entries. */
function isSplit(bytes: Buffer, start: number, idBytes: number): boolean {
  for (let at = start; at < bytes.length - idBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
  }
  return false;
}
