import type { FilePort } from '../../../src/files/index.ts';
import { nothingYet, type Truth } from '../oracle/truth.ts';
import { emptyImage, type Image } from './image.ts';
import { createImageDisk, type ImageDisk } from './image-disk.ts';
import { type Operation, type Recorder, recordFiles } from './recorder.ts';

/** Everything that a run did to a disk, and what its user could rely on after each step. */
export interface Trace {
  readonly base: Image;
  readonly operations: readonly Operation[];
  /** `truths[n]` holds after the first n operations. */
  readonly truths: readonly Truth[];
}

/** An in-memory disk that is being recorded. */
export interface Tape {
  readonly disk: ImageDisk;
  readonly recorder: Recorder;
  readonly files: FilePort;
  readonly trace: Trace;
  truth(): Truth;
  /** A step starts: from the next operation on, more results are possible. */
  begin(change: (truth: Truth) => Truth): void;
  /** A step was acknowledged: from now on, its result is required. */
  tell(change: (truth: Truth) => Truth): void;
  /** Removes a path and everything below it, like `rm -rf`. */
  removeTree(place: string): void;
  /** Damages a file from outside. */
  overwrite(place: string, bytes: Buffer): void;
}

/** Starts recording on a disk that holds `base`, in memory unless another disk is given. */
export function createTape(base: Image = emptyImage, start: Truth = nothingYet, disk = createImageDisk(base)): Tape {
  const operations: Operation[] = [];
  const truths: Truth[] = [start];
  let truth = start;
  const note = (operation: Operation) => {
    operations.push(operation);
    truths.push(truth);
  };
  const recorder = recordFiles(disk, note);
  return {
    disk,
    recorder,
    files: recorder.files,
    trace: { base, operations, truths },
    truth: () => truth,
    begin: (change) => void (truth = change(truth)),
    tell(change) {
      truth = change(truth);
      truths[truths.length - 1] = truth;
    },
    removeTree(place) {
      const below = [...disk.image()].filter(([path]) => path === place || path.startsWith(`${place}/`));
      for (const [path, content] of below.toReversed()) {
        if (content !== 'folder') recorder.files.remove(path);
        else {
          disk.removeFolder(path);
          note({ kind: 'remove', path });
        }
      }
    },
    overwrite(place, bytes) {
      disk.overwrite(place, bytes);
      note({ kind: 'overwrite', path: place, bytes });
    },
  };
}
