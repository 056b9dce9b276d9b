import { findExecutable } from './find-executable.ts';

/** The programs that a keeper needs. */
export interface SystemTools {
  readonly cat: string;
  readonly sleep: string;
  readonly mv: string;
  /** Missing on macOS, where the shell itself can start a process group. */
  readonly setsid: string;
  readonly grep: string;
}

/** Where the system keeps its programs. Never the user's own PATH: what comes first there may be anything. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';

let found: SystemTools | undefined;

/** Where this machine has the programs; one that is missing is an empty text. */
export function systemTools(): SystemTools {
  found ??= { cat: find('cat'), sleep: find('sleep'), mv: find('mv'), setsid: find('setsid'), grep: find('grep') };
  return found;
}

function find(name: string): string {
  return findExecutable(name, { PATH: SYSTEM_PATH, cwd: '/' }) ?? '';
}
