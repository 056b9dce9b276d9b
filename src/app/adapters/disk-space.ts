import { formatSize, roughSize } from '../../base/index.ts';
import { nodeCareFiles } from '../../files/index.ts';

/** How much space has to be free, and where. */
export interface RequiredSpace {
  readonly minFreeBytes: number;
  readonly folders: readonly string[];
}

/** A folder with too little space. */
export interface ScarceSpace {
  readonly folder: string;
  readonly freeBytes: number;
  readonly minFreeBytes: number;
}

/** The first folder with too little space; one whose space the system does not reveal has enough. */
export function findScarce({ minFreeBytes, folders }: RequiredSpace): ScarceSpace | undefined {
  for (const folder of folders) {
    const freeBytes = freeBytesIn(folder);
    if (freeBytes !== undefined && freeBytes < minFreeBytes) return { folder, freeBytes, minFreeBytes };
  }
  return undefined;
}

/** One sentence about a folder with too little space. */
export function scarceMessage({ folder, freeBytes, minFreeBytes }: ScarceSpace): string {
  return `Only ${roughSize(freeBytes)} are free in ${folder}, but resources.minFreeDisk is ${formatSize(minFreeBytes)}.`;
}

function freeBytesIn(folder: string): number | undefined {
  try {
    return nodeCareFiles.freeBytes(folder);
  } catch {
    return undefined;
  }
}
