import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { findExecutable } from './find-executable.ts';
import { type Command, toArguments } from './launch.ts';
import { runToEnd } from './run-to-end.ts';
import { systemPath } from './system-tools.ts';

/** A folder or file of this machine, and where an enclosed command finds it. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** What an enclosed command can see besides the folders of the system, which it can only read. */
export interface Enclosure {
  /** Outer folders come first, so that one may lie inside another. */
  readonly binds: readonly Bind[];
  readonly cwd: string;
}

/** Folders that belong to the system and not to a user's work; those that exist are shown, read-only. */
const systemFolders = [
  'bin',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'nix',
  'opt',
  'sbin',
  'snap',
  'sys',
  'usr',
  'var',
];
/** What a package manager or a test may expect to be able to do as root; none of it reaches beyond the enclosure. */
const rootCapabilities = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_KILL', 'CAP_SETGID', 'CAP_SETUID'];
const namespaceOptions =
  '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --die-with-parent --new-session --cap-drop ALL'.split(' ');
/** Sockets in /run would lead out: to containers, and to services that start programs. */
const ownFolderOptions = '--dev /dev --proc /proc --tmpfs /run'.split(' ');
const fromShell = ['/bin/sh', '-c', 'exec "$@"', 'sh'];
const probeTimeoutMs = 20_000;

/** The program that creates namespaces on this machine; searched for in the system's folders only. */
export function findEncloser(): string | undefined {
  return process.platform === 'linux' ? findExecutable('bwrap', { PATH: systemPath, cwd: '/' }) : undefined;
}

/**
 * A command in its own mount and process namespaces: it sees no process outside of them, everything it
 * starts ends with it, and it ends with whoever started it. A program that is missing exits with 127, as in a shell.
 */
export function enclose(encloser: string, command: Command, { binds, cwd }: Enclosure): readonly string[] {
  const sorted = [...binds].sort((one, other) => one.target.length - other.target.length);
  const capabilities = process.getuid?.() === 0 ? rootCapabilities : [];
  return [
    encloser,
    ...namespaceOptions,
    ...capabilities.flatMap((name) => ['--cap-add', name]),
    ...systemFolders.flatMap(systemFolder),
    ...ownFolderOptions,
    ...nameServers(),
    ...sorted.flatMap(({ source, target, writable }) => [writable ? '--bind' : '--ro-bind', source, target]),
    '--chdir',
    cwd,
    '--',
    ...fromShell,
    ...toArguments(command),
  ];
}

/** Tries an enclosure with a program that does nothing; returns why it does not work, or undefined. */
export async function tryEnclosure(
  encloser: string,
  enclosure: Enclosure,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const command = enclose(encloser, ['true'], enclosure);
  const { ending, output } = await runToEnd({ command, cwd: '/', env, timeoutMs: probeTimeoutMs });
  if (ending.kind === 'exited' && ending.code === 0) return undefined;
  return output.trim().split('\n').at(-1) || `${encloser} does not work here`;
}

function systemFolder(name: string): readonly string[] {
  const folder = `/${name}`;
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder];
  return stats.isDirectory() && readdirSync(folder).length > 0 ? ['--ro-bind', folder, folder] : [];
}

/** The resolver's configuration is often a link into a folder that is not shown. */
function nameServers(): readonly string[] {
  try {
    const real = realpathSync('/etc/resolv.conf');
    return real.startsWith('/run/') ? ['--ro-bind', real, path.resolve(real)] : [];
  } catch {
    return [];
  }
}
