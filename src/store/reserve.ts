import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { quietly, randomBytes, writeAll } from '../files/index.ts';
import type { LoopPlace } from './place.ts';

/** Enough for the facts of a pause and a snapshot. */
const reserveBytes = 128 * 1024;

/** Disk space that an owner reserves, so that the facts of a pause can be written even on a full disk. */
export interface Reserve {
  /** Whether it is in use: the disk has been full, and there has been no room since to allocate it again. */
  readonly isUsed: boolean;
  /**
   * Does a step; on a full disk it releases the reserve and does the step again. A reserve that is in use is
   * allocated again first, as soon as there is room.
   */
  spend<T>(step: () => T): T;
  /** Releases the space. */
  release(): void;
}

/** Reserves space, as far as there is any. */
export function createReserve({ files, folder }: LoopPlace): Reserve {
  const file = path.join(folder, 'reserve');
  let isHeld = false;
  let isUsed = false;
  const release = () => {
    if (isHeld) quietly(() => files.remove(file));
    isHeld = false;
  };
  const hold = () =>
    quietly(() => {
      if (files.look(file) === undefined) fill(file);
      isHeld = true;
    });
  hold();

  function fill(place: string): void {
    const open = files.create(place);
    try {
      // Bytes that no file system can compress.
      writeAll(files, open, randomBytes(reserveBytes));
      files.syncData(open);
    } catch (error) {
      quietly(() => files.remove(place));
      throw error;
    } finally {
      quietly(() => files.close(open));
    }
  }

  return {
    get isUsed() {
      return isUsed;
    },
    spend(step) {
      if (isUsed) {
        hold();
        isUsed = !isHeld;
      }
      try {
        return step();
      } catch (error) {
        if (!isDiskFull(error) || !isHeld) throw error;
        release();
        isUsed = true;
        return step();
      }
    },
    release,
  };
}

function isDiskFull(error: unknown): boolean {
  return error instanceof LoopError && error.failure.code === 'DISK_FULL';
}
