import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { quietly } from './files/disk-errors.ts';
import { writeAll } from './files/durable.ts';
import { randomBytes } from './files/random-bytes.ts';
import type { LoopPlace } from './place.ts';

/** Enough for the facts of a pause and a snapshot. */
const reserveBytes = 128 * 1024;

/** Space that an owner holds back, so that a full disk still takes the facts of a pause. */
export interface Reserve {
  /** Whether it had to be used. */
  readonly isUsed: boolean;
  /** Does a step; on a full disk the reserve is given up and the step done once more. */
  spend<T>(step: () => T): T;
  /** Gives the space back. */
  release(): void;
}

/** Sets space aside, as far as there is any. */
export function createReserve({ files, folder }: LoopPlace): Reserve {
  const file = path.join(folder, 'reserve');
  let isHeld = false;
  let isUsed = false;
  const release = () => {
    if (isHeld) quietly(() => files.remove(file));
    isHeld = false;
  };
  quietly(() => {
    if (files.look(file) === undefined) fill(file);
    isHeld = true;
  });

  function fill(place: string): void {
    const open = files.create(place);
    try {
      // Bytes that no file system can fold into less space.
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
