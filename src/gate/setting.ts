import type { CheckCommand, LoopConfig } from '../protocol/index.ts';
import type { ProtectedBase } from './clean/base.ts';

/** Where the list of files outlives this process. */
export interface StartFile {
  /** Keeps bytes; a disk that cannot take them is no reason to stop. */
  save(bytes: Uint8Array): void;
  /** What was kept, if it can be read. */
  load(): Uint8Array | undefined;
}

/** What can break off the checks: `signal` asks, `kill` insists. */
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
  /** The protected files as they were, where the checks need them. */
  readonly base?: ProtectedBase | undefined;
  /** Absolute paths of what ralphd itself writes, which is no part of the work. */
  readonly own?: readonly string[];
  /** Where sealed gates keep what they need, outside of every work tree; none where the user has no such place. */
  readonly gates?: string | undefined;
  /** The snapshot that an earlier owner took for the sealed checks. */
  readonly environment?: { readonly id: string; readonly digest: string } | undefined;
  /** Finds the program that makes namespaces; the one of the system unless given. */
  readonly findEncloser?: (() => string | undefined) | undefined;
  /** Where the list of the files of the loop's beginning is kept. */
  readonly startFile?: StartFile;
}

/** Where one check runs, and what finds its processes again. */
export type CheckSetting = Pick<GateSetting, 'config' | 'workingDirectory' | 'env'> & {
  readonly marker: string;
  /** Puts a command into namespaces of its own, in which a program that is missing exits as in a shell. */
  readonly enclose?: ((command: CheckCommand) => CheckCommand) | undefined;
};

/** What every process of a loop's checks carries in its environment. */
export function gateMarkerOf(uuid: string): string {
  return `${uuid}:gate`;
}
