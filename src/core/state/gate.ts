import type { CheckCommand, Guard, JudgedTree } from '../../protocol/index.ts';

/** A criterion written as a sentence, and the commands it was interpreted as. */
export interface CriterionReading {
  readonly said: string;
  readonly commands: readonly string[];
}

/** A snapshot that sealed checks use instead of what is in the work tree. */
export interface SealedEnvironment {
  readonly id: string;
  readonly digest: string;
  readonly folders: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/** Protected files that the loop changed or deleted, and those that it wrote itself; each newest last, bounded. */
export interface ProtectedFiles {
  readonly changed: readonly string[];
  readonly created: readonly string[];
}

/** No files. */
export const noProtectedFiles: ProtectedFiles = { changed: [], created: [] };

/** What the gate runs, and what it protects from changes. */
export interface GateState {
  /** The commands of the gate, fixed when the loop started. */
  readonly checks: readonly CheckCommand[];
  /** The one of them that was detected as the project's test command. */
  readonly foundTest?: string;
  /** Criteria written as sentences, and what they were interpreted as. */
  readonly readings?: readonly CriterionReading[];
  /** Scripts and targets run by the checks that hide the exit code of their test. */
  readonly masked?: readonly string[];
  /** Files and scripts that determine the results of the checks, as they were when the loop started. */
  readonly guards?: readonly Guard[];
  /** The files of the work tree before the first agent ran. */
  readonly start?: JudgedTree;
  /** The original protected files: the commit that holds them, and the git reference that keeps it. */
  readonly base?: { readonly ref: string; readonly commit: string };
  /** What sealed checks need besides the work, as it was before any agent ran. */
  readonly environment?: SealedEnvironment;
  readonly protectedFiles: ProtectedFiles;
  /** Files that changed while checks ran, newest last: such changes are not the agent's work. */
  readonly checkWrites?: readonly string[];
}

/** A gate without checks. */
export const noGate: GateState = { checks: [], protectedFiles: noProtectedFiles };
