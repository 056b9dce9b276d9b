import type { Levels } from './levels.ts';
import type { JournalEnd } from './manifest.ts';

/** How far a target is, as the machine that backs up remembers it. */
export interface Progress {
  /** The target and for whom it is encrypted; progress of another one does not count. */
  readonly place: string;
  /** What is stored of everything that only grows. */
  readonly levels: Levels;
  readonly journal?: JournalEnd;
  /** The files of iterations up to this one are stored. */
  readonly iterations: number;
  /** Objects that were stored since the newest backup; no backup needs them yet, so somebody may have removed them. */
  readonly unconfirmed?: readonly string[];
  /** The newest backup. */
  readonly last?: LastBackup;
  /** Of the files that change, as they are in that one; earlier versions did not keep it. */
  readonly currentDigest?: string;
  /** Why the newest attempt failed; missing after one that succeeded. */
  readonly problem?: { readonly at: string; readonly why: string; readonly hasDiverged: boolean };
}

/** A backup that was made. */
export interface LastBackup {
  readonly name: string;
  readonly at: string;
  /** The number of the newest fact in it. */
  readonly seq: number;
  readonly iteration: number;
  /** How many bytes were sent for it. */
  readonly bytes: number;
}

/** What is remembered of all targets of a loop, by their names. */
export type ProgressByTarget = Readonly<Record<string, Progress>>;

/** Nothing is stored yet. */
export function noProgress(place: string): Progress {
  return { place, levels: [], iterations: 0 };
}

/** As it is kept in a file. */
export function encodeProgress(targets: ProgressByTarget): string {
  return `${JSON.stringify({ version: 1, targets })}\n`;
}

/** Reads what an earlier process kept; a text that is not understood counts as nothing: then everything is sent again. */
export function parseProgress(text: string | undefined): ProgressByTarget {
  if (text === undefined) return {};
  try {
    const { version, targets } = JSON.parse(text) as Record<string, unknown>;
    if (version !== 1 || typeof targets !== 'object' || targets === null) return {};
    return Object.fromEntries(Object.entries(targets).filter((entry) => isProgress(entry[1])));
  } catch {
    return {};
  }
}

function isProgress(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { place, levels, iterations }: Record<string, unknown> = { ...value };
  return (
    typeof place === 'string' &&
    Number.isSafeInteger(iterations) &&
    Array.isArray(levels) &&
    levels.every(Array.isArray)
  );
}
