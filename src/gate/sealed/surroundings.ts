import path from 'node:path';
import { type Bind, type Enclosure, enclose, findEncloser, tryEnclosure } from '../../process/index.ts';
import { type RawPath, toRaw, toText } from '../../workspace/index.ts';
import type { CheckSandbox, EnclosedRun } from '../setting.ts';
import type { Environment } from './environment.ts';
import { obstacles, SealedObstacle } from './obstacles.ts';
import type { Room } from './room.ts';

/** How commands run in a room. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The work folder, as the commands see it. */
  readonly workingDirectory: string;
  /** The top of the work tree, as the commands see it. */
  readonly top: string;
  /** Wraps a command in its own namespaces, in a folder; undefined where this machine has none. */
  readonly enclose?: ((run: EnclosedRun, cwd: string) => EnclosedRun) | undefined;
  /** Why there are no namespaces. */
  readonly problem?: string | undefined;
}

interface SurroundingsRequest {
  readonly room: Room;
  readonly environment: Environment;
  /** The top of the real work tree. */
  readonly top: string;
  /** The work folder, relative to the top. */
  readonly prefix: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sandbox: CheckSandbox | undefined;
  /** Finds the program that creates namespaces; for tests of machines that have none. */
  readonly findEncloser?: (() => string | undefined) | undefined;
}

/** The surroundings of the checks: at the path of the work tree if this machine has namespaces. */
export async function surround(request: SurroundingsRequest): Promise<Surroundings> {
  const encloser = (request.findEncloser ?? findEncloser)();
  if (encloser === undefined) return unenclosed(request, 'bubblewrap (bwrap) is not installed');
  const { top, prefix } = request;
  const env = enclosedEnv(request);
  const workingDirectory = path.join(top, prefix);
  const binds = bindsOf(request, env['HOME'] ?? '/');
  const enclosure = (cwd: string): Enclosure => ({ binds, cwd });
  const problem = await tryEnclosure(encloser, enclosure(workingDirectory), env);
  if (problem !== undefined) return unenclosed(request, problem);
  const { sandbox } = request;
  return {
    env,
    top,
    workingDirectory,
    enclose: (run, cwd) =>
      sandbox?.enclose({ ...run, cwd, view: enclosure(cwd) }) ?? {
        ...run,
        command: enclose(encloser, run.command, enclosure(cwd)),
      },
  };
}

/** Without a sandbox, the copy that the checks run in has to do. */
function unenclosed(request: SurroundingsRequest, problem: string): Surroundings {
  if (request.sandbox !== undefined) throw new SealedObstacle(obstacles.noSandbox(problem));
  return withoutNamespaces(request, problem);
}

function bindsOf({ room, environment, top }: SurroundingsRequest, home: string): readonly Bind[] {
  return [
    { source: room.temporary, target: '/tmp', writable: true },
    { source: room.temporary, target: '/var/tmp', writable: true },
    { source: room.home, target: home, writable: true },
    ...environment.shared.places.map(({ source, target = source }) => ({ source, target, writable: false })),
    { source: room.tree, target: top, writable: true },
  ];
}

/** The caller's environment, with the home and the temporary folder of the room. */
function enclosedEnv({ environment, top, env }: SurroundingsRequest): NodeJS.ProcessEnv {
  const { HOME: home = '' } = env;
  const isApart = path.isAbsolute(home) && home !== '/' && home !== top && !home.startsWith(`${top}/`);
  return {
    ...withoutTemporary(env),
    ...environment.shared.variables,
    HOME: isApart ? home : '/tmp/home',
    TMPDIR: '/tmp',
    PATH: pathFor({ env, top, environment }, top),
    // Bytecode next to modules outside the work tree could come from anywhere.
    PYTHONPYCACHEPREFIX: '/tmp/pycache',
  };
}

/** Runs next to the work tree, with every variable that could lead there pointing into the room. */
function withoutNamespaces(request: SurroundingsRequest, problem: string): Surroundings {
  const { room, environment, top, prefix, env } = request;
  const workingDirectory = path.join(room.tree, prefix);
  return {
    env: {
      ...withoutTemporary(env),
      ...homesOf(environment, env),
      HOME: room.home,
      TMPDIR: room.temporary,
      PATH: pathFor({ env, top, environment }, room.tree),
      PYTHONPYCACHEPREFIX: path.join(room.temporary, 'pycache'),
      PWD: workingDirectory,
    },
    top: room.tree,
    workingDirectory,
    problem,
  };
}

/** The PATH without folders that an agent may have filled: in the work tree, only folders of the snapshot remain. */
function pathFor(
  { env, top, environment }: { env: NodeJS.ProcessEnv; top: string; environment: Environment },
  shownTop: string,
): string {
  return (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => {
      const inside = path.relative(top, folder);
      if (inside === '' || (!inside.startsWith('..') && !isInSnapshot(toRaw(inside), environment))) return [];
      return [inside.startsWith('..') ? folder : path.join(shownTop, inside)];
    })
    .join(path.delimiter);
}

function isInSnapshot(folder: RawPath, { folders }: Environment): boolean {
  return folders.some((each) => folder === each || folder.startsWith(`${each}/`));
}

/** Variables that point tools to their downloads, because HOME is another folder here. */
function homesOf({ shared }: Environment, { HOME: home }: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  if (home === undefined) return {};
  const usual = { CARGO_HOME: '.cargo', RUSTUP_HOME: '.rustup', GOMODCACHE: 'go/pkg/mod' };
  const isShared = (folder: string) => shared.places.some(({ source }) => `${source}/`.startsWith(`${folder}/`));
  const found = Object.entries(usual).map(([name, folder]) => [name, path.join(home, folder)] as const);
  return Object.fromEntries(found.filter(([, folder]) => isShared(folder)));
}

function withoutTemporary({ TMP: _tmp, TEMP: _temp, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

/** Replaces the path of the work tree by that of the room in scripts and path lists of dependency folders. */
export function rewriteFor(top: string, roomTree: string): (file: RawPath, bytes: () => Buffer) => Buffer | undefined {
  const from = toRaw(top);
  const to = toRaw(roomTree);
  return (file, bytes) => {
    const isList = /(?:\.pth|\.egg-link|__editable__[^/]*\.py)$/.test(file);
    if (!isList && !/\/(?:bin|Scripts)\/[^/]+$/.test(file)) return undefined;
    const text = bytes().toString('latin1');
    if ((!isList && !text.startsWith('#!')) || !text.includes(from)) return undefined;
    return Buffer.from(text.replaceAll(from, to), 'latin1');
  };
}

export function notIsolatedWarning(problem: string): string {
  return `The sealed checks ran without their own namespaces (${toText(toRaw(problem))}), so a process left by the agent could have interfered. Install bubblewrap.`;
}
