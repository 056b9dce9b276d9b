import { close, closeSync, constants, fstatSync, openSync, readSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from './ending.ts';

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
const ownerOnly = 0o600;

/** The two outputs of an agent. */
export const streamNames = ['stdout', 'stderr'] as const;
/** One of them. */
export type Stream = (typeof streamNames)[number];

/** The files an agent leaves its output in, held open: ralphd can follow them even after they are deleted. */
export interface Spool {
  readonly folder: string;
  readonly files: Readonly<Record<Stream, number>>;
  /** How much this run has printed. */
  readonly bytes: () => number;
  /** The last bytes of an output. */
  readonly tail: (stream: Stream, length: number) => Buffer;
  readonly close: () => void;
}

/** Creates the files for the output: both or none. */
export function makeSpool(folder: string): Spool {
  const open = createKeeping();
  return open.orNothing(() => {
    const make = (stream: Stream) =>
      open.keep(openSync(path.join(folder, stream), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, ownerOnly));
    const files = { stdout: make('stdout'), stderr: make('stderr') };
    const before = sizeOf(files);
    return { ...spoolOf(folder, files, open.close), bytes: () => sizeOf(files) - before };
  });
}

/** Opens the files that an earlier ralphd created; a missing one reads as empty. */
export function findSpool(folder: string): Spool {
  const open = createKeeping();
  const find = (stream: Stream) => {
    try {
      return open.keep(openSync(path.join(folder, stream), O_RDONLY | O_NOFOLLOW));
    } catch {
      return open.keep(openSync('/dev/null', O_RDONLY));
    }
  };
  return spoolOf(folder, { stdout: find('stdout'), stderr: find('stderr') }, open.close);
}

const plentyBytes = 1024 * 1024;
const probeBytes = 16 * 1024;

/** Whether the disk of a spool is full or a quota is used up; reading the free space is enough when there is plenty. */
export function isDiskFull(folder: string, { look }: { readonly look: 'free space' | 'write' }): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return (look === 'write' || bavail * bsize <= plentyBytes) && refusesBytes(folder);
  } catch {
    return false;
  }
}

function refusesBytes(folder: string): boolean {
  try {
    writeFileSync(path.join(folder, 'probe'), Buffer.alloc(probeBytes), { flag: 'wx', mode: ownerOnly });
    return false;
  } catch (error) {
    return ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
  } finally {
    rmSync(path.join(folder, 'probe'), { force: true });
  }
}

function spoolOf(folder: string, files: Spool['files'], close: () => void): Spool {
  return {
    folder,
    files,
    bytes: () => sizeOf(files),
    tail: (stream, length) => {
      const { size } = fstatSync(files[stream]);
      const bytes = Buffer.alloc(Math.min(length, size));
      return bytes.subarray(0, readSync(files[stream], bytes, 0, bytes.length, size - bytes.length));
    },
    close,
  };
}

function sizeOf({ stdout, stderr }: Spool['files']): number {
  return fstatSync(stdout).size + fstatSync(stderr).size;
}

/** Closing the last descriptor of a large deleted file blocks until it is freed: not on this thread, which costs more. */
function closeQuickly(file: number): void {
  if (fstatSync(file).nlink === 0) close(file, () => {});
  else closeSync(file);
}

/** Descriptors that are closed together. */
function createKeeping() {
  const kept: number[] = [];
  const closeAll = () => {
    for (const file of kept.splice(0)) closeQuickly(file);
  };
  return {
    close: closeAll,
    keep: (file: number) => {
      kept.push(file);
      return file;
    },
    orNothing<Result>(make: () => Result): Result {
      try {
        return make();
      } catch (error) {
        closeAll();
        throw error;
      }
    },
  };
}
