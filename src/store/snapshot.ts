import path from 'node:path';
import { crc32 } from 'node:zlib';
import { failures, LoopError } from '../base/index.ts';
import { type FilePort, lookSafely, pack, readWhole, unpack, writeFileDurably } from '../files/index.ts';
import { type SnapshotDocument, type SnapshotUpcaster, snapshotUpcasters } from '../protocol/index.ts';
import { isTooDeep } from './journal/depth.ts';
import { formatCrc } from './journal/line.ts';
import { type Position, readPosition, writePosition } from './journal/position.ts';
import type { LoopPlace } from './place.ts';

/** The largest snapshot that is read. */
export const maxSnapshotBytes = 16 * 1024 * 1024;

/** What is found at the path of a snapshot. */
export type SnapshotReading =
  | {
      readonly kind: 'ok';
      readonly document: SnapshotDocument;
      readonly position: Position;
      /** The older format that the document was converted from. */
      readonly migratedFrom?: number;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly why: string };

/** Where a loop's snapshot is. */
export function snapshotPath(folder: string): string {
  return path.join(folder, 'state.json');
}

/** How a snapshot is written. */
export interface SnapshotForm {
  /** Other programs then cannot read it. */
  readonly compress: boolean;
}

/**
 * Writes a snapshot of everything up to `position`. The store adds `format`, `journal` and `crc` to its `ralphd`
 * object; `crc` is the CRC-32 of the same pretty JSON without that field.
 */
export function writeSnapshot(
  place: LoopPlace,
  { document, position, compress }: SnapshotForm & { readonly document: SnapshotDocument; readonly position: Position },
): void {
  const bytes = snapshotBytes(place, document, position);
  const content = compress ? pack(bytes, maxSnapshotBytes) : bytes;
  writeFileDurably(place.files, snapshotPath(place.folder), content);
}

/** The same bytes as those of a sealed snapshot, made in one pass: this is written after every iteration. */
export function snapshotBytes(place: LoopPlace, document: SnapshotDocument, position: Position): Buffer {
  return seal(place, document, position).bytes;
}

function seal(place: LoopPlace, document: SnapshotDocument, position: Position) {
  if (document.loop_id !== place.loopId) throw new TypeError(`Not a snapshot of ${place.loopId}.`);
  const plain = unsealed(place, document, position);
  const text = JSON.stringify(plain, undefined, 2);
  if (!text.endsWith(closing)) throw new TypeError('A snapshot ends with its "ralphd" object.');
  const crc = crc32(text);
  const bytes = Buffer.from(text.slice(0, -closing.length) + sealOf(crc));
  return { sealed: withCrc(plain, formatCrc(crc)), bytes };
}

/** What closes the last object of a document and the document itself. */
const closing = '\n  }\n}';
const sealBytes = sealOf(0).length;

/** What a written snapshot ends with. */
function sealOf(crc: number): string {
  return `,\n    "crc": "${formatCrc(crc)}"${closing}\n`;
}

/** Whether bytes are, to the last of them, what was written; other bytes may still contain the same document. */
function isAsWritten(bytes: Buffer): boolean {
  const text = bytes.subarray(0, -sealBytes);
  return bytes.toString('latin1', text.byteLength) === sealOf(crc32(closing, crc32(text)));
}

/** The store's own fields come last, after the view: `parseSnapshotEnd` reads no more than that. */
function unsealed({ upcasters = snapshotUpcasters }: LoopPlace, document: SnapshotDocument, position: Position) {
  const { ralphd, ...rest } = document;
  const { format: _format, ...own } = objectOf(ralphd);
  const added = { format: upcasters.length + 1, journal: writePosition(position), crc: undefined };
  return { ...rest, ralphd: { ...own, ...added } };
}

/** How a document of today begins, and where the last part of it begins: a line of a text has no line break inside. */
const beginning = '{\n  "version": "2.';
const viewLine = '\n    "view": {';

/** The end of a snapshot from its view on; undefined unless the bytes are as they were written, in today's format. */
export function parseSnapshotEnd(
  stored: Buffer,
  { upcasters = snapshotUpcasters }: Pick<LoopPlace, 'upcasters'>,
): { readonly document: SnapshotDocument; readonly position: Position } | undefined {
  const bytes = unpack(stored, maxSnapshotBytes);
  const at = bytes?.lastIndexOf(viewLine) ?? -1;
  if (
    bytes === undefined ||
    at < 0 ||
    !isAsWritten(bytes) ||
    bytes.toString('latin1', 0, beginning.length) !== beginning
  )
    return undefined;
  const end = Buffer.concat([Buffer.from('{"ralphd":{'), bytes.subarray(at)]);
  const document = isTooDeep(end) ? undefined : parseDocument(end);
  const { format, journal } = objectOf(document?.ralphd);
  const position = format === upcasters.length + 1 ? readPosition(journal) : undefined;
  return document && position && { document, position };
}

/** A document with its place in the journal and its checksum, checked to be readable. */
export function sealSnapshot(place: LoopPlace, document: SnapshotDocument, position: Position): SnapshotDocument {
  const { loopId, upcasters = snapshotUpcasters } = place;
  const { sealed, bytes } = seal(place, document, position);
  const origin = { file: snapshotPath(place.folder), loopId, upcasters };
  const check = isTooDeep(bytes) ? damaged('it is nested too deeply') : checkSnapshot(sealed, origin, true);
  if (check.kind !== 'ok') throw new TypeError(`Not a snapshot of ${loopId}: ${JSON.stringify(check)}.`);
  return check.document;
}

/** Reads a snapshot without changing anything; refuses one that a newer ralphd wrote. */
export function readSnapshot(
  files: FilePort,
  folder: string,
  loopId: string,
  upcasters = snapshotUpcasters,
): SnapshotReading {
  const file = snapshotPath(folder);
  if (lookSafely(files, file, 'file') === undefined) return { kind: 'missing' };
  return parseSnapshot(readWhole(files, file, { limit: maxSnapshotBytes }), { file, loopId, upcasters });
}

/** Where a snapshot comes from, and what it must be. */
export interface SnapshotOrigin {
  readonly file: string;
  readonly loopId: string;
  readonly upcasters: readonly SnapshotUpcaster[];
}

/** Reads a snapshot from bytes, compressed or not; refuses one that a newer ralphd wrote. */
export function parseSnapshot(stored: Buffer, origin: SnapshotOrigin): SnapshotReading {
  const bytes = unpack(stored, maxSnapshotBytes);
  if (bytes === undefined) return damaged('it cannot be decompressed');
  if (isTooDeep(bytes)) return damaged('it is nested too deeply');
  const document = parseDocument(bytes);
  return document ? checkSnapshot(document, origin, isAsWritten(bytes)) : damaged('it is not JSON');
}

/** Checks a snapshot that has been parsed; refuses one that a newer ralphd wrote. */
export function checkSnapshot(document: SnapshotDocument, origin: SnapshotOrigin, isSound = false): SnapshotReading {
  const { file, loopId, upcasters } = origin;
  const ralphd = objectOf(document.ralphd);
  refuseNewer(file, { version: document.version, format: ralphd.format, today: upcasters.length + 1 });
  if (!/^2\.\d+\.\d+$/.test(String(document.version)))
    return damaged(`its version is ${String(document.version)}, which is older than 2 or not a version`);
  if (!isSound && ralphd.crc !== checksum(document)) return damaged('its checksum does not match its content');
  if (document.loop_id !== loopId) return damaged(`it belongs to loop ${String(document.loop_id)}`);
  return migrate(document, ralphd.format, upcasters);
}

function migrate(original: SnapshotDocument, format: unknown, upcasters: readonly SnapshotUpcaster[]): SnapshotReading {
  const today = upcasters.length + 1;
  const from = typeof format === 'number' ? format : today;
  if (!Number.isInteger(from) || from < 1) return damaged(`its format is ${String(format)}`);
  const document = upcasters.slice(from - 1).reduce((older, upcast) => upcast(older), original);
  const position = readPosition(objectOf(document.ralphd).journal);
  if (!position) return damaged('it does not record its position in the journal');
  return { kind: 'ok', document, position, ...(from < today && { migratedFrom: from }) };
}

function refuseNewer(
  file: string,
  found: { readonly version: unknown; readonly format: unknown; readonly today: number },
): void {
  const { version, format, today } = found;
  if (typeof format === 'number' && format > today) {
    throw new LoopError(failures.stateNewerVersion(file, String(today), String(format)));
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

/** A JSON object; undefined for anything else. */
export function parseDocument(bytes: Buffer): SnapshotDocument | undefined {
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
