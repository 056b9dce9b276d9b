import { spawnSync } from 'node:child_process';

/** A command line that has loopback and no other network. */
export interface Isolated {
  readonly command: readonly [string, ...string[]];
  /** How, in words. */
  readonly by: string;
  readonly env: Readonly<Record<string, string>>;
}

// The shell stays, because the first process of a namespace has to bury the others.
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

/** Keeps a command and all it starts off the network: in a namespace of its own where that can be made. */
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

/** Whoever asks for anything but loopback is sent to a port where nobody listens. */
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
