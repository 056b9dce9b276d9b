import { existsSync } from 'node:fs';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import {
  createTemporaryFolder,
  ensureFolder,
  moveAside,
  putText,
  removeEmptyFolder,
  removeLink,
  takeText,
} from '../files/index.ts';
import {
  type Command,
  confineCommand,
  type Enclosure,
  enclose,
  findEncloser,
  guardCommand,
  missingForGuard,
  runToEnd,
  seatbelt,
  unfitForSeatbelt,
} from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { linksIn } from './git-places.ts';
import { deniedHosts, upstreamProxy } from './network.ts';
import { findPlaces, hiddenOfSystem, type PlacesSetting, preparePlaces, type SandboxPlaces } from './places.ts';
import { hiddenPlaceIn } from './programs.ts';
import { fixFor } from './why-not.ts';

/** What a sandbox is for. */
export interface SandboxSetting extends Omit<PlacesSetting, 'config'> {
  readonly config: LoopConfig;
  /** The hosts that the agent itself needs. */
  readonly hosts: readonly string[];
  /** A folder of the loop's own, out of reach of the agent. */
  readonly folder: string;
  /** The command that installs a package of the system, if it is known. */
  readonly install: (name: string) => string | undefined;
  /** By default, this machine's. */
  readonly platform?: NodeJS.Platform | undefined;
  /** By default, the one of macOS. */
  readonly seatbelt?: string | undefined;
}

/** A command to run in a sandbox. */
export interface Enclosed {
  readonly command: Command;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Names the run in `outcome`; left out, nothing is kept about it. */
  readonly name?: string | undefined;
  /** Further folders that it may write. */
  readonly writes?: readonly string[] | undefined;
  /** Another view of the machine than that of the loop. */
  readonly view?: Enclosure | undefined;
}

/** What became of a run, apart from its exit. */
export interface Outcome {
  /** The sandbox could not be created, so nothing was run. */
  readonly failed: boolean;
  /** The hosts that it was not allowed to reach. */
  readonly denied: readonly string[];
  /** Warnings about what it left. */
  readonly warnings: readonly string[];
}

/** The sandbox of a loop. */
export interface Sandbox {
  readonly mode: 'on' | 'strict';
  /** Wraps a command; nothing of it is left when the command that is returned has ended. */
  enclose(run: Enclosed): { readonly command: readonly string[]; readonly env: NodeJS.ProcessEnv };
  /** Wraps a command that only looks at the work tree: nothing can be written, and there is no network. */
  encloseRead(run: Pick<Enclosed, 'command' | 'env' | 'cwd'>): ReturnType<Sandbox['enclose']>;
  /** Collects what a run left; called when it has ended, before anything looks at the work tree. */
  outcome(name?: string): Outcome;
  /** A place that a run did not find, by what it printed, although it is there outside. */
  hiddenPlace(printed: string): string | undefined;
}

/** The sandbox that the settings ask for; undefined without one. Fails where it cannot work, before anything runs. */
export async function openSandbox(setting: SandboxSetting): Promise<Sandbox | undefined> {
  const { sandbox: mode } = setting.config;
  if (mode === 'off') return undefined;
  const refuse = (why: string, fix: string) =>
    new LoopError(failures.sandboxUnavailable(mode, why.replace(/\.$/u, ''), fix));
  const missing = missingHere(setting);
  if (missing !== undefined) throw refuse(...missing);
  const problem = problemOf(setting);
  if (problem !== undefined) throw refuse(problem, 'Use another work tree, or set "sandbox: off".');
  if (mode === 'strict' && upstreamProxy(setting.env) === 'unusable') {
    throw refuse('HTTPS_PROXY names a proxy that does not speak HTTP', 'Set HTTPS_PROXY to an address with "http://".');
  }
  const sandbox = createSandbox(setting, mode);
  const failure = await tryOut(sandbox, setting);
  if (failure !== undefined) throw refuse(failure, fixFor(failure));
  return {
    ...sandbox,
    enclose(run) {
      preparePlaces(setting);
      return sandbox.enclose(run);
    },
  };
}

/** What this machine does not have, and the fix. */
function missingHere(setting: SandboxSetting): readonly [why: string, fix: string] | undefined {
  const { platform = process.platform, config } = setting;
  if (platform === 'darwin') {
    if (config.sandbox === 'on') return undefined;
    return ['the network can be restricted on Linux only', 'Set "sandbox: on", or use a virtual machine.'];
  }
  if (platform !== 'linux') return ['this needs Linux or macOS', 'Set "sandbox: off", or use a container.'];
  const missing = missingForGuard();
  return missing && [`${missing} is not installed`, `Run: ${setting.install(missing) ?? `install ${missing}`}`];
}

function problemOf(setting: SandboxSetting): string | undefined {
  const { problem, enclosure } = findPlaces(setting);
  const unfit = isMac(setting) ? unfitForSeatbelt(enclosure) : undefined;
  return problem ?? (unfit && `the name of ${JSON.stringify(unfit)} cannot be written in a profile`);
}

function isMac({ platform = process.platform }: SandboxSetting): boolean {
  return platform === 'darwin';
}

function createSandbox(setting: SandboxSetting, mode: 'on' | 'strict'): Sandbox {
  const { config, folder, hosts, env: caller } = setting;
  const file = (kind: string, name: string) => path.join(folder, `${kind}-${name}`);
  const ofChecks: string[] = [];
  const settle = (name = 'checks') => {
    const trace = takeText(file('before', name));
    return trace === undefined ? [] : clearAway(JSON.parse(trace) as Trace);
  };
  return {
    mode,
    encloseRead: ({ command, env, cwd }) =>
      isMac(setting)
        ? confineCommand({ command, env, enclosure: asSeen(setting, cwd) }, setting.seatbelt)
        : {
            command: enclose(findEncloser() ?? '', command, asSeen(setting, cwd)),
            env,
          },
    enclose({ command, env, cwd, name, writes = [], view }) {
      ensureFolder(folder);
      // What one check left must not count as there before the next.
      if (name === undefined) ofChecks.push(...settle());
      const places = findPlaces(setting);
      // In a file: whoever adopts the run may be another process.
      putText(file('before', name ?? 'checks'), JSON.stringify(traceOf(places)));
      const binds = writes.map((place) => ({ source: place, target: place, writable: true }));
      const own = { ...places.enclosure, binds: [...places.enclosure.binds, ...binds], cwd };
      if (isMac(setting)) return confined(setting, { command, env, enclosure: own, name });
      const upstream = upstreamProxy(caller);
      return guardCommand({
        command,
        env: view === undefined ? withOwnFolders(env) : env,
        enclosure: view === undefined ? own : { ...view, hidden: [...(view.hidden ?? []), ...hiddenOfSystem()] },
        ...(name === undefined ? {} : { statusFile: file('failed', name) }),
        ...(mode === 'strict' && {
          network: {
            hosts: [...hosts, ...config.network],
            folder,
            denied: file('denied', name ?? 'checks'),
            upstream: upstream === 'unusable' ? [] : upstream,
          },
        }),
      });
    },
    outcome(name) {
      const warnings = [...(name === undefined ? ofChecks.splice(0) : []), ...settle(name)];
      const failed = name !== undefined && takeText(file('failed', name)) !== undefined;
      return { failed, denied: deniedHosts(takeText(file('denied', name ?? 'checks')) ?? ''), warnings };
    },
    hiddenPlace: (printed) =>
      hiddenPlaceIn(
        printed,
        findPlaces(setting).enclosure.binds.map(({ target }) => target),
      ),
  };
}

/** As much of it as macOS can do, where nobody has a folder for temporary files alone. */
function confined(
  setting: SandboxSetting,
  { command, env, enclosure, name }: Pick<Enclosed, 'command' | 'env' | 'name'> & { readonly enclosure: Enclosure },
) {
  const { folder, seatbelt: program = seatbelt } = setting;
  const temporary = path.join(folder, 'tmp');
  ensureFolder(temporary);
  const { absent } = findPlaces(setting);
  const binds = [...enclosure.binds, { source: temporary, target: temporary, writable: true }];
  const hidden = [...(enclosure.hidden ?? []), ...absent];
  const statusFile = name === undefined ? undefined : path.join(folder, `failed-${name}`);
  const own = withOwnFolders(env, temporary);
  return confineCommand({ command, env: own, enclosure: { ...enclosure, binds, hidden }, statusFile }, program);
}

/** What was there before a run. */
type Trace = Pick<SandboxPlaces, 'absent' | 'stubs' | 'gitFolders'> & { readonly links: readonly string[] };

function traceOf({ absent, stubs, gitFolders }: SandboxPlaces): Trace {
  return { absent, stubs, gitFolders, links: gitFolders.flatMap(linksIn) };
}

/** Takes away what a run left that would act outside; returns a warning for each. */
function clearAway({ absent, stubs, gitFolders, links }: Trace): readonly string[] {
  for (const stub of stubs) removeEmptyFolder(stub);
  const removed = gitFolders.flatMap(linksIn).filter((link) => !links.includes(link) && removeLink(link));
  const moved = absent.flatMap((place) => {
    const to = moveAside(place, '.from-sandbox');
    return to === undefined ? [] : [asideWarning(place, to)];
  });
  return [...removed.map(linkWarning), ...moved];
}

/** The places of the sandbox for somebody who only looks. */
function asSeen(setting: SandboxSetting, cwd: string): Enclosure {
  const { enclosure } = findPlaces(setting);
  const binds = enclosure.binds.map((bind) => ({ ...bind, writable: false }));
  return { ...enclosure, binds, hidden: enclosure.hidden?.filter((place) => existsSync(place)), isOffline: true, cwd };
}

/** Temporary files and downloads go where they can be written. */
function withOwnFolders({ TMP: _tmp, TEMP: _temp, ...env }: NodeJS.ProcessEnv, folder = '/tmp'): NodeJS.ProcessEnv {
  const caches = {
    npm_config_cache: `${folder}/.cache/npm`,
    PIP_CACHE_DIR: `${folder}/.cache/pip`,
    UV_CACHE_DIR: `${folder}/.cache/uv`,
    YARN_CACHE_FOLDER: `${folder}/.cache/yarn`,
    GOCACHE: `${folder}/.cache/go-build`,
  };
  return { ...caches, ...env, TMPDIR: folder };
}

function asideWarning(place: string, to: string): string {
  return `A program in the sandbox created ${place}, which would have run outside of it: it is now ${to}.`;
}

function linkWarning(place: string): string {
  return `A program in the sandbox put a link at ${place}, through which git would have written outside of it: it was removed.`;
}

const probeMs = 20_000;

/** Runs a program that does nothing in the sandbox; returns why that does not work, or undefined. */
async function tryOut(sandbox: Sandbox, setting: SandboxSetting): Promise<string | undefined> {
  const { env, workingDirectory } = setting;
  using outside = createTemporaryFolder();
  const { command, env: own } = sandbox.enclose({
    command: isMac(setting) ? trialOnMac(setting, outside.root) : ['true'],
    env,
    cwd: workingDirectory,
  });
  const { ending, output } = await runToEnd({ command, cwd: '/', env: own, timeoutMs: probeMs });
  sandbox.outcome();
  if (ending.kind === 'exited' && ending.code === 0) return undefined;
  const lines = output.trim().split('\n');
  return lines.find((line) => line.startsWith('bwrap:')) ?? (lines.at(-1) || 'bubblewrap does not work');
}

/** A profile that does not do what it says must not be trusted: it has to hold against what it is for, each time. */
function trialOnMac({ folder }: SandboxSetting, outside: string): Command {
  ensureFolder(folder);
  const own = path.join(folder, 'trial');
  putText(own, '');
  const line = `cat "$1" && echo "the state can be read" && exit 1
(echo > "$1") && echo "the state can be written" && exit 1
(echo > "$2/trial") && echo "files outside can be written" && exit 1
kill -0 "$3" && echo "processes outside can be signalled" && exit 1
exit 0`;
  return ['/bin/sh', '-c', `{ ${line}\n} 2> /dev/null`, 'sh', own, outside, String(process.pid)];
}
