import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { look, nodeFiles, readWhole, writeFileDurably } from '../files/index.ts';

const version = 1;
const maxBytes = 64 * 1024;

/**
 * How far the landing of a loop has come. A loop that has ended never changes, so this is a file beside its journal:
 * `intended` is durable before the branch moves, `landed` after it has.
 */
export interface LandingRecord {
  readonly version: typeof version;
  readonly state: 'intended' | 'landed';
  /** The branch that gets the work. */
  readonly into: string;
  /** The commit of the loop's branch that is landed. */
  readonly tip: string;
  /** The branch moves from this commit … */
  readonly from: string;
  /** … to this one, which the checks passed. */
  readonly to: string;
  readonly method: 'fast-forward' | 'merge' | 'squash';
  /** Whether checks passed for the merged work of a loop that completed verified. */
  readonly verified: boolean;
  readonly at: string;
}

/** What `writeLanding` records. */
export type NewLanding = Omit<LandingRecord, 'version'>;

/** Reads the record of a loop; undefined if none was ever made. */
export function readLanding(loopFolder: string): LandingRecord | undefined {
  const file = fileIn(loopFolder);
  if (look(nodeFiles, file) === undefined) return undefined;
  const record = parse(readWhole(nodeFiles, file, { limit: maxBytes }).toString('utf8'));
  const found: unknown = record?.['version'];
  if (typeof found === 'number' && found > version)
    throw new LoopError(failures.stateNewerVersion(file, String(version), String(found)));
  if (!isRecord(record)) throw new LoopError(failures.stateUnreadable(file, 'it is not a record of a landing'));
  return record;
}

/** Replaces the record, durably and as one step. */
export function writeLanding(loopFolder: string, record: NewLanding): void {
  const text = `${JSON.stringify({ version, ...record }, undefined, 2)}\n`;
  writeFileDurably(nodeFiles, fileIn(loopFolder), Buffer.from(text));
}

function fileIn(loopFolder: string): string {
  return path.join(loopFolder, 'landing.json');
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const texts = ['state', 'into', 'tip', 'from', 'to', 'method', 'at'] as const;

function isRecord(value: unknown): value is LandingRecord {
  if (typeof value !== 'object' || value === null) return false;
  return (
    Reflect.get(value, 'version') === version && texts.every((name) => typeof Reflect.get(value, name) === 'string')
  );
}

/** Where the work of a loop has landed. */
export type LandedInto = Pick<LandingRecord, 'into' | 'to' | 'method' | 'verified' | 'at'>;

/** Where the work of a loop has landed; undefined if it has not, or if that cannot be read. */
export function landedInto(loopFolder: string): LandedInto | undefined {
  try {
    const record = readLanding(loopFolder);
    if (record?.state !== 'landed') return undefined;
    const { into, to, method, verified, at } = record;
    return { into, to, method, verified, at };
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}
