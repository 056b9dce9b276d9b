import { spawnSync } from 'node:child_process';

/** A command with access to loopback only. */
export interface Isolated {
  readonly command: readonly [string, ...string[]];
  /** A description of the method. */
  readonly by: string;
  readonly env: Readonly<Record<string, string>>;
}

// The shell stays, because the first process in a PID namespace must reap the others.
const script = '{ ip link set lo up || ifconfig lo up; } 2>/dev/null && "$@"; exit $?';
const unshare = [
  'unshare',
  '-r',
  '-n',
  '-p',
  '--fork',
  '--mount-proc',
  '--kill-child',
  'sh',
  '-c',
  script,
  'sh',
] as const;
const tools = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Cuts a command and its children off from the network, in a separate namespace if possible. */
export function isolate(command: readonly [string, ...string[]]): Isolated {
  if (canUnshare()) {
    return {
      command: [...unshare, ...command],
      by: 'a network namespace with nothing but loopback',
      env: closedProxies,
    };
  }
  return { command, by: 'proxy settings that lead to a closed port', env: closedProxies };
}

/** Sends any request outside loopback to a closed port. */
export const closedProxies = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
} as const;

function canUnshare(): boolean {
  const [file, ...args] = unshare;
  return spawnSync(file, [...args, 'true'], { env: { PATH: tools }, stdio: 'ignore' }).status === 0;
}
