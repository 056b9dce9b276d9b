import path from 'node:path';
import { crc32 } from 'node:zlib';
import { failures, LoopError } from '../base/index.ts';
import { readWhole, writeFileDurably } from './files/durable.ts';
import type { FilePort } from './files/file-port.ts';
import { lookSafely } from './files/folders.ts';
import { isTooDeep } from './journal/depth.ts';
import { formatCrc } from './journal/line.ts';
import { type Position, readPosition, writePosition } from './journal/position.ts';

/** The format of the `ralphd` object in a snapshot. */
const snapshotFormat = 1;

const maxSnapshotBytes = 16 * 1024 * 1024;

/** A snapshot as the layers above write it: `version` and `loop_id` of its own, and a `ralphd` object. */
export type SnapshotDocument = Readonly<Record<string, unknown>>;

/** What stands where a snapshot should. */
export type SnapshotReading =
  | { readonly kind: 'ok'; readonly document: SnapshotDocument; readonly position: Position }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly why: string };

/** Where a loop's snapshot is. */
export function snapshotPath(folder: string): string {
  return path.join(folder, 'state.json');
}

/**
 * Writes a snapshot of everything up to `position`. The store adds `format`, `journal` and `crc` to its `ralphd`
 * object; `crc` is the CRC-32 of the same pretty JSON without that field.
 */
export function writeSnapshot(
  place: { readonly files: FilePort; readonly folder: string; readonly loopId: string },
  document: SnapshotDocument,
  position: Position,
): void {
  const { ralphd, ...rest } = document;
  const own = { ...objectOf(ralphd), format: snapshotFormat, journal: writePosition(position), crc: undefined };
  const plain = objectOf(JSON.parse(JSON.stringify({ ...rest, ralphd: own })));
  const text = JSON.stringify(withCrc(plain, checksum(plain)), undefined, 2);
  const bytes = Buffer.from(`${text}\n`);
  const file = snapshotPath(place.folder);
  const check = parseSnapshot(bytes, file, place.loopId);
  if (check.kind !== 'ok') throw new TypeError(`Not a snapshot of ${place.loopId}: ${JSON.stringify(check)}.`);
  writeFileDurably(place.files, file, bytes);
}

/** Reads a snapshot without changing anything; refuses one that a newer ralphd wrote. */
export function readSnapshot(files: FilePort, folder: string, loopId: string): SnapshotReading {
  const file = snapshotPath(folder);
  if (lookSafely(files, file, 'file') === undefined) return { kind: 'missing' };
  return parseSnapshot(readWhole(files, file, { limit: maxSnapshotBytes }), file, loopId);
}

function parseSnapshot(bytes: Buffer, file: string, loopId: string): SnapshotReading {
  if (isTooDeep(bytes)) return damaged('it is nested too deeply');
  const document = parse(bytes);
  if (!document) return damaged('it is not JSON');
  const ralphd = objectOf(document.ralphd);
  refuseNewer(file, document.version, ralphd.format);
  if (!/^2\.\d+\.\d+$/.test(String(document.version))) return damaged(`its version is ${String(document.version)}`);
  if (ralphd.crc !== checksum(document)) return damaged('its checksum does not match its content');
  if (document.loop_id !== loopId) return damaged(`it belongs to loop ${String(document.loop_id)}`);
  const position = readPosition(ralphd.journal);
  return position ? { kind: 'ok', document, position } : damaged('it does not say where in the journal it stands');
}

function refuseNewer(file: string, version: unknown, format: unknown): void {
  if (typeof format === 'number' && format > snapshotFormat) {
    throw new LoopError(failures.stateNewerVersion(file, String(snapshotFormat), String(format)));
  }
  const major = typeof version === 'string' ? /^(\d+)\.\d+\.\d+$/.exec(version)?.[1] : undefined;
  if (typeof version === 'string' && Number(major) > 2) {
    throw new LoopError(failures.stateNewerVersion(file, '2.x', version));
  }
}

function checksum(document: SnapshotDocument): string {
  return formatCrc(crc32(JSON.stringify(withCrc(document, undefined), undefined, 2)));
}

function withCrc(document: SnapshotDocument, crc: string | undefined): SnapshotDocument {
  return { ...document, ralphd: { ...objectOf(document.ralphd), crc } };
}

function parse(bytes: Buffer): SnapshotDocument | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function damaged(why: string): SnapshotReading {
  return { kind: 'damaged', why };
}
