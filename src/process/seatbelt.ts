import path from 'node:path';
import { type Enclosure, fromShell, placesInOrder } from './enclose.ts';
import type { Guarded } from './guard.ts';
import { toArguments } from './launch.ts';

/** The program of macOS that runs a command under a profile. */
export const seatbelt = '/usr/bin/sandbox-exec';

/** A command to run under a profile. */
export type Confined = Pick<Guarded, 'command' | 'env' | 'enclosure' | 'statusFile'>;

/** A name that no profile can express. */
export function unfitForSeatbelt({ binds, hidden = [] }: Enclosure): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  return [...binds.map(({ target }) => target), ...hidden].find((place) => /[\u0000-\u001f\u007f]/u.test(place));
}

/**
 * A command under a profile. The file says that it was not set up until the first program inside has removed it; the profile lets
 * nobody do more with it.
 */
export function confineCommand({ command, env, enclosure, statusFile = '' }: Confined, program = seatbelt) {
  const profile = seatbeltProfile(enclosure, statusFile);
  const inside = 'if [ -n "$1" ]; then rm -f "$1"; fi; cd "$2" || exit 126; shift 2; exec "$@"';
  const before = 'if [ -n "$1" ]; then echo "not set up" > "$1"; fi; shift; exec "$@"';
  const outer = ['/bin/sh', '-c', before, 'sh', statusFile, program, '-p', profile];
  const inner = ['/bin/sh', '-c', inside, 'sh', statusFile, enclosure.cwd];
  return {
    command: [...outer, ...inner, ...fromShell, ...toArguments(command)],
    env: { ...env, ...enclosure.variables },
  };
}

/** The profile of an enclosure: the same places as for bubblewrap. Of several rules for a place, the last one counts. */
export function seatbeltProfile(enclosure: Enclosure, statusFile = ''): string {
  const roots = enclosure.binds.filter(({ writable }) => writable).map(({ target }) => target);
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/tty"))',
    ...services(roots),
    ...placesInOrder(enclosure).flatMap(rulesOf),
    ...pinned(enclosure, roots).map((place) => `(deny file-write-unlink (literal ${quoted(place)}))`),
    ...(statusFile === '' ? [] : [`(allow file-read-metadata file-write-unlink (literal ${quoted(statusFile)}))`]),
    ...(enclosure.isOffline === true ? ['(deny network*)'] : []),
    '',
  ].join('\n');
}

/** Nothing outside can be signalled, looked at, or asked to start a program. */
function services(roots: readonly string[]): readonly string[] {
  return [
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny process-info*)',
    '(allow process-info* (target same-sandbox))',
    '(deny mach-priv-task-port)',
    '(deny appleevent-send)',
    '(deny lsopen)',
    '(deny job-creation)',
    '(deny network-outbound (remote unix-socket))',
    '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
    ...roots.map((root) => `(allow network-outbound (subpath ${quoted(root)}))`),
  ];
}

function rulesOf({ target, kind }: ReturnType<typeof placesInOrder>[number]): readonly string[] {
  const filter = `(subpath ${quoted(target)})`;
  if (kind === 'hidden') return [`(deny file-read* file-write* network-outbound ${filter})`];
  if (kind === 'writable') return [`(allow file-read* file-write* ${filter})`];
  return [`(allow file-read* ${filter})`, `(deny file-write* ${filter})`];
}

/** A folder around a protected place could be renamed, and another one put there: these stay where they are. */
function pinned(enclosure: Enclosure, roots: readonly string[]): readonly string[] {
  const fixed = placesInOrder(enclosure).filter(({ kind }) => kind !== 'writable');
  return [...new Set(fixed.flatMap(({ target }) => foldersAround(target, roots)))];
}

function foldersAround(place: string, roots: readonly string[]): readonly string[] {
  const folder = path.dirname(place);
  const isInside = roots.some((root) => folder === root || folder.startsWith(`${root}/`));
  return isInside ? [folder, ...foldersAround(folder, roots)] : [];
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/gu, '\\$&')}"`;
}
