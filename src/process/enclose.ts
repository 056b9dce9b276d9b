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

/** What an enclosed command can see and write. */
export interface Enclosure {
  /** The folders of the system, or the whole machine; both can only be read. By default those of the system. */
  readonly shows?: 'system' | 'machine' | undefined;
  /** An inner folder may differ from the one around it; of two for the same place, the last one counts. */
  readonly binds: readonly Bind[];
  /** Folders and files that appear empty; each must exist, or be in a folder that can be written. */
  readonly hidden?: readonly string[] | undefined;
  /** Whether it has a network of its own, without a way out. */
  readonly isOffline?: boolean | undefined;
  /** Variables for the command alone: those that would change the programs around it. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
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
/** The kernel lets root write these whatever its capabilities are, and some of them start programs. */
const kernelFiles = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map((name) => `/proc/${name}`);
const temporaryFolders = ['/tmp', '/var/tmp'];
/** A program that is missing then exits with 127, as in a shell. */
export const fromShell = ['/bin/sh', '-c', 'exec "$@"', 'sh'];
const probeTimeoutMs = 20_000;

/** The program that creates namespaces on this machine; searched for in the system's folders only. */
export function findEncloser(): string | undefined {
  return process.platform === 'linux' ? findExecutable('bwrap', { PATH: systemPath, cwd: '/' }) : undefined;
}

/**
 * A command in its own mount and process namespaces: it sees no process outside of them, everything it
 * starts ends with it, and it ends with whoever started it. A program that is missing exits with 127, as in a shell.
 */
export function enclose(encloser: string, command: Command, enclosure: Enclosure): readonly string[] {
  return [encloser, ...optionsOf(enclosure), '--', ...fromShell, ...toArguments(command)];
}

/** The arguments of bubblewrap for an enclosure, up to the command. */
export function optionsOf(enclosure: Enclosure): readonly string[] {
  const { shows = 'system', hidden = [], variables = {}, isOffline = false, cwd } = enclosure;
  const isRoot = process.getuid?.() === 0;
  const capabilities = isRoot ? rootCapabilities : [];
  return [
    ...namespaceOptions,
    ...capabilities.flatMap((name) => ['--cap-add', name]),
    ...(isOffline ? ['--unshare-net'] : []),
    ...(shows === 'system' ? systemFolders.flatMap(systemFolder) : ['--ro-bind', '/', '/']),
    ...ownFolderOptions,
    ...(isRoot ? kernelFiles.flatMap(asIs) : []),
    ...(shows === 'machine' ? temporaryFolders.flatMap(ownTemporaryFolder) : []),
    ...nameServers(),
    ...placesInOrder(enclosure).flatMap(optionsFor),
    ...hidden.filter(isFolderOrMissing).flatMap((folder) => ['--remount-ro', folder]),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
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

interface Place {
  readonly kind: 'writable' | 'readable' | 'hidden';
  readonly source: string;
  readonly target: string;
}

/** Outer places come first, so that one may lie inside another. */
export function placesInOrder({ binds, hidden = [] }: Enclosure): readonly Place[] {
  const bound = binds.map(({ source, target, writable }): Place => {
    return { kind: writable ? 'writable' : 'readable', source, target };
  });
  const empty = hidden.map((target): Place => ({ kind: 'hidden', source: '', target }));
  return [...bound, ...empty].sort((one, other) => one.target.length - other.target.length);
}

function optionsFor({ kind, source, target }: Place): readonly string[] {
  if (kind !== 'hidden') return [kind === 'writable' ? '--bind' : '--ro-bind', source, target];
  return isFolderOrMissing(target) ? ['--tmpfs', target] : ['--ro-bind', '/dev/null', target];
}

function isFolderOrMissing(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() ?? true;
}

function asIs(place: string): readonly string[] {
  return lstatSync(place, { throwIfNoEntry: false }) === undefined ? [] : ['--ro-bind', place, place];
}

function ownTemporaryFolder(folder: string): readonly string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? ['--perms', '1777', '--tmpfs', folder] : [];
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
