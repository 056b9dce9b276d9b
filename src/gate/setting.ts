import type { Enclosure } from '../process/index.ts';
import type { CheckCommand, LoopConfig, TraceVariables } from '../protocol/index.ts';
import type { ProtectedBase } from './clean/base.ts';

/** Stores the list of the files at the start of the loop. */
export interface StartFile {
  /** A full disk is ignored. */
  save(bytes: Uint8Array): void;
  /** The saved bytes, if they can be read. */
  load(): Uint8Array | undefined;
}

/** Interrupt the checks: `signal` ends them gracefully, `kill` at once. */
export interface EffectSignals {
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/** Where the checks run and how long they may take. */
export interface GateSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uuid: string;
  readonly loopId: string;
  /** The original protected files, where the checks need them. */
  readonly base?: ProtectedBase | undefined;
  /** Absolute paths of what ralphd itself writes, which is not part of the work. */
  readonly own?: readonly string[];
  /** The folder for rooms and snapshots of sealed gates, outside every work tree; undefined where there is none. */
  readonly gates?: string | undefined;
  /** The snapshot that an earlier owner took for the sealed checks. */
  readonly environment?: { readonly id: string; readonly digest: string } | undefined;
  /** Finds the program that creates namespaces; the system's own by default. */
  readonly findEncloser?: (() => string | undefined) | undefined;
  readonly startFile?: StartFile;
  /** What the checks run in; left out, they run with all rights of the user, unless they are sealed. */
  readonly sandbox?: CheckSandbox | undefined;
  /** Places what it starts in the trace of the loop. */
  readonly trace?: TraceVariables | undefined;
}

/** Where one check runs, and the marker that identifies its processes. */
export type CheckSetting = Pick<GateSetting, 'config' | 'workingDirectory' | 'env'> & {
  readonly marker: string;
  /** Wraps a command in its own namespaces; a missing program then exits as in a shell. */
  readonly enclose?: ((run: EnclosedRun) => EnclosedRun) | undefined;
};

/** A command, and its whole environment. */
export interface EnclosedRun {
  readonly command: CheckCommand;
  readonly env: NodeJS.ProcessEnv;
}

/** The sandbox of a loop, as its checks use it. */
export interface CheckSandbox {
  enclose(
    run: EnclosedRun & { readonly cwd: string; readonly writes?: readonly string[]; readonly view?: Enclosure },
  ): EnclosedRun;
  /** What the runs since the last call left: hosts that they were not allowed to reach, and warnings. */
  outcome(): { readonly denied: readonly string[]; readonly warnings: readonly string[] };
}

/** The marker in the environment of every process of a loop's checks. */
export function gateMarkerOf(uuid: string): string {
  return `${uuid}:gate`;
}
