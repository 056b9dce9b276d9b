import type { FilePort } from '../../../src/files/index.ts';
import { realSubject, type Subject } from '../oracle/subject.ts';
import { type Patch, patchedSubject } from './patched.ts';

/** The store with one planted bug. */
export interface Mutant {
  readonly bug: string;
  /** Where to look first: a scenario, `bit rot`, or `failing calls` of a scenario. */
  readonly on?: string;
  /** Created on demand, because it may copy the source. */
  readonly subject: () => Subject;
}

/** A bug in the calls to the disk. */
export function asking(bug: string, wrap: (files: FilePort) => FilePort, on?: string): Mutant {
  return { bug, ...(on !== undefined && { on }), subject: () => ({ ...realSubject, wrap }) };
}

/** A bug in the store's own code. */
export function coding(bug: string, patches: readonly Patch[], on?: string): Mutant {
  return { bug, ...(on !== undefined && { on }), subject: () => patchedSubject(patches) };
}
