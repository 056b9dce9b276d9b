import { closeSync, constants, fstatSync, openSync } from 'node:fs';

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
const OWNER_ONLY = 0o600;

/** The files a process reads its prompt from and leaves its output in. */
export interface SpoolPaths {
  /** Left out: the process finds an empty input. */
  readonly stdinPath?: string | undefined;
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

/** The open files; ralphd keeps them to see them grow even when their names are gone. */
export interface Spool {
  readonly stdio: readonly ['ignore' | number, number, number];
  readonly bytes: () => number;
  readonly close: () => void;
}

/** Opens all files or none. */
export function openSpool(paths: SpoolPaths): Spool {
  const open: number[] = [];
  const close = () => {
    for (const file of open.splice(0)) closeSync(file);
  };
  const keep = (file: number) => {
    open.push(file);
    return file;
  };
  try {
    const stdin = paths.stdinPath === undefined ? 'ignore' : keep(openSync(paths.stdinPath, 'r'));
    const stdout = keep(openSync(paths.stdoutPath, APPEND, OWNER_ONLY));
    const stderr = keep(openSync(paths.stderrPath, APPEND, OWNER_ONLY));
    return { stdio: [stdin, stdout, stderr], bytes: () => fstatSync(stdout).size + fstatSync(stderr).size, close };
  } catch (error) {
    close();
    throw error;
  }
}
