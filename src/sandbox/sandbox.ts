import { existsSync } from 'node:fs';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { ensureFolder, moveAside, putText, removeEmptyFolder, removeLink, takeText } from '../files/index.ts';
import {
  type Command,
  type Enclosure,
  enclose,
  findEncloser,
  guardCommand,
  missingForGuard,
  runToEnd,
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
  if (process.platform !== 'linux') throw refuse('this needs Linux', 'Set "sandbox: off", or use a container.');
  const missing = missingForGuard();
  if (missing !== undefined) {
    throw refuse(`${missing} is not installed`, `Run: ${setting.install(missing) ?? `install ${missing}`}`);
  }
  const { problem } = findPlaces(setting);
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
    encloseRead: ({ command, env, cwd }) => ({
      command: enclose(findEncloser() ?? '', command, asSeen(setting, cwd)),
      env,
    }),
    enclose({ command, env, cwd, name, writes = [], view }) {
      ensureFolder(folder);
      // What one check left must not count as there before the next.
      if (name === undefined) ofChecks.push(...settle());
      const places = findPlaces(setting);
      // In a file: whoever adopts the run may be another process.
      putText(file('before', name ?? 'checks'), JSON.stringify(traceOf(places)));
      const binds = writes.map((place) => ({ source: place, target: place, writable: true }));
      const own = { ...places.enclosure, binds: [...places.enclosure.binds, ...binds], cwd };
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
function withOwnFolders({ TMP: _tmp, TEMP: _temp, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const caches = {
    npm_config_cache: '/tmp/.cache/npm',
    PIP_CACHE_DIR: '/tmp/.cache/pip',
    UV_CACHE_DIR: '/tmp/.cache/uv',
    YARN_CACHE_FOLDER: '/tmp/.cache/yarn',
    GOCACHE: '/tmp/.cache/go-build',
  };
  return { ...caches, ...env, TMPDIR: '/tmp' };
}

function asideWarning(place: string, to: string): string {
  return `A program in the sandbox created ${place}, which would have run outside of it: it is now ${to}.`;
}

function linkWarning(place: string): string {
  return `A program in the sandbox put a link at ${place}, through which git would have written outside of it: it was removed.`;
}

const probeMs = 20_000;

/** Runs a program that does nothing in the sandbox; returns why that does not work, or undefined. */
async function tryOut(sandbox: Sandbox, { env, workingDirectory }: SandboxSetting): Promise<string | undefined> {
  const { command, env: own } = sandbox.enclose({ command: ['true'], env, cwd: workingDirectory });
  const { ending, output } = await runToEnd({ command, cwd: '/', env: own, timeoutMs: probeMs });
  sandbox.outcome();
  if (ending.kind === 'exited' && ending.code === 0) return undefined;
  const lines = output.trim().split('\n');
  return lines.find((line) => line.startsWith('bwrap:')) ?? (lines.at(-1) || 'bubblewrap does not work');
}
