import { type Enclosure, findEncloser, fromShell, optionsOf } from './enclose.ts';
import { guardProgram } from './guard-perl.ts';
import { type Command, toArguments } from './launch.ts';
import { systemTools } from './system-tools.ts';

/** The only way from an enclosed command to the network. */
export interface AllowList {
  /** Names, `*.` and a name, or addresses; each may end in a port, by default 80 and 443. */
  readonly hosts: readonly string[];
  /** A folder that exists, for the socket of the proxy. */
  readonly folder: string;
  /** A file that gets a line for each request that was refused. */
  readonly denied: string;
  /** A proxy of the user's own through which the hosts are reached: its host, its port, and its login in base64. */
  readonly upstream?: readonly string[] | undefined;
}

/** A command to enclose under a guard. */
export interface Guarded {
  readonly command: Command;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly enclosure: Enclosure;
  /** Left out, the command shares the network of the machine. */
  readonly network?: AllowList | undefined;
  /** A file that is written if the enclosure could not be created; by default the guard says it on the error output. */
  readonly statusFile?: string | undefined;
}

const programVariable = 'RALPHD_SANDBOX_PROGRAM';
const start = `our $program = delete $ENV{${programVariable}}; eval $program; print STDERR $@; exit 126`;
const socketFolder = '/run/ralphd';
const socketPlaceholder = 'RALPHD_SOCKET';
const proxyPort = 3128;
const proxyAddress = `http://127.0.0.1:${proxyPort}`;
const loopback = /^(?:localhost|127\.0\.0\.1):(\d+)$/;

/** Which program of the system is missing for enclosing a command under a guard. */
export function missingForGuard(): 'bubblewrap' | 'perl' | undefined {
  if (findEncloser() === undefined) return 'bubblewrap';
  return systemTools().perl === '' ? 'perl' : undefined;
}

/**
 * A command in namespaces of its own that can be asked to end: signals reach it, it ends with its own exit code or signal,
 * and a signal to the group of the guard is a signal to the command.
 */
export function guardCommand({ command, env, enclosure, network, statusFile = '' }: Guarded): {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  const { perl } = systemTools();
  const { outside, inside } = separate(env);
  const variables = { ...enclosure.variables, ...inside };
  const orders = network === undefined ? ['', '', '', ''] : ordersOf(network);
  const place: Enclosure =
    network === undefined
      ? { ...enclosure, variables }
      : {
          ...enclosure,
          variables: { ...variables, ...proxyVariables },
          binds: [...enclosure.binds, { source: network.folder, target: socketFolder, writable: false }],
          isOffline: true,
        };
  const bubblewrap = [findEncloser() ?? '', '--json-status-fd', '9', ...optionsOf(place), '--'];
  const guarding = [perl, '-e', start, 'guard', statusFile, ...orders, ...bubblewrap];
  return {
    command: [
      ...guarding,
      ...(network === undefined ? [] : [perl, '-e', start, 'inside', ...connectionsOf(network)]),
      ...fromShell,
      ...toArguments(command),
    ],
    env: { ...outside, [programVariable]: guardProgram },
  };
}

function ordersOf({ hosts, folder, denied, upstream = [] }: AllowList): readonly string[] {
  return [folder, hosts.map((host) => host.toLowerCase()).join(' '), denied, upstream.join(' ')];
}

/** The socket, and the ports inside: that of the proxy, and one for each listed port of this machine itself. */
function connectionsOf({ hosts }: AllowList): readonly string[] {
  const ports = new Map<string, string>();
  for (const host of hosts) {
    const port = loopback.exec(host.toLowerCase())?.[1];
    if (port !== undefined && Number(port) !== proxyPort) ports.set(port, host);
  }
  const direct = [...ports].map(([port, host]) => `${port}=${host}`);
  return [`${socketFolder}/${socketPlaceholder}`, [`${proxyPort}=`, ...direct].join(' ')];
}

const own = 'localhost,127.0.0.1,::1';
const proxyVariables = {
  HTTP_PROXY: proxyAddress,
  HTTPS_PROXY: proxyAddress,
  http_proxy: proxyAddress,
  https_proxy: proxyAddress,
  NO_PROXY: own,
  no_proxy: own,
  // Without it, the fetch of Node ignores the others.
  NODE_USE_ENV_PROXY: '1',
};

/**
 * Variables that make a program load other code are set inside only: they may name files that an agent has written, and the
 * programs that enclose it must not load those.
 */
function separate(env: NodeJS.ProcessEnv) {
  const loading = /^(?:PERL|LD_|GCONV_PATH$|MALLOC_|GLIBC_)/;
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    outside: Object.fromEntries(given.filter(([name]) => !loading.test(name))),
    inside: Object.fromEntries(given.filter(([name]) => loading.test(name))),
  };
}
