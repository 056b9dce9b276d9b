import path from 'node:path';
import { encodeProgress, type Progress, type ProgressByTarget, parseProgress } from '../../backup/index.ts';
import { nodeFiles, readEnd, writeFileDurably } from '../../files/index.ts';

/** The file in a loop's folder that holds how far its backup targets are. */
export const progressFile = 'backup.json';
const maxFileBytes = 4 * 1024 * 1024;

/** How far the backup targets of a loop are. */
export function readProgress(folder: string): ProgressByTarget {
  try {
    return parseProgress(readEnd(nodeFiles, path.join(folder, progressFile), maxFileBytes).toString());
  } catch {
    return {};
  }
}

/** Keeps the progress of a loop that no process runs; hold its lock. */
export function writeProgress(folder: string, targets: ProgressByTarget): void {
  writeFileDurably(nodeFiles, path.join(folder, progressFile), Buffer.from(encodeProgress(targets)));
}

/** How a backup target of a loop stands, for display. */
export interface BackupStanding {
  readonly target: string;
  /** The newest backup; missing if there is none. */
  readonly last?: Progress['last'];
  /** How many facts were recorded since. */
  readonly missingFacts: number;
  /** Why the newest attempt failed. */
  readonly problem?: Progress['problem'];
}

/** How the backup targets of a loop stand when its newest fact has the given number. */
export function standingsOf(folder: string, seq: number): readonly BackupStanding[] {
  return Object.entries(readProgress(folder)).map(([target, { last, problem }]) => {
    return {
      target,
      missingFacts: Math.max(0, seq - (last?.seq ?? 0)),
      ...(last && { last }),
      ...(problem && { problem }),
    };
  });
}
