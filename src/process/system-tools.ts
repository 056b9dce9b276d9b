import { findExecutable } from './find-executable.ts';

/** The programs that a keeper needs. */
export interface SystemTools {
  readonly cat: string;
  readonly sleep: string;
  readonly mv: string;
  /** Missing on macOS, where the shell itself can start a process group. */
  readonly setsid: string;
  readonly grep: string;
  readonly perl: string;
}

/** Where the system keeps its programs. Never the user's own PATH: it may find any program first. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

let found: SystemTools | undefined;

/** Where the programs are on this machine; an empty string for a missing one. */
export function systemTools(): SystemTools {
  found ??= {
    cat: find('cat'),
    sleep: find('sleep'),
    mv: find('mv'),
    setsid: find('setsid'),
    grep: find('grep'),
    perl: find('perl'),
  };
  return found;
}

function find(name: string): string {
  return findExecutable(name, { PATH: systemPath, cwd: '/' }) ?? '';
}
