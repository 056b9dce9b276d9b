import { createHash } from 'node:crypto';
import { failures, isLoopId, LoopError } from '../base/index.ts';

/** An object of a target: its name ends with the digest of its bytes, so it cannot be exchanged. */
export interface ObjectRef {
  /** Below the folder of the loop. */
  readonly name: string;
  /** How many bytes are stored. */
  readonly bytes: number;
  /** How many bytes they are once they are decrypted and expanded. */
  readonly size: number;
}

/** How far a journal goes: a file, how much of it, and the digest of that. */
export interface JournalEnd {
  readonly segment: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a backup says about its loop. */
export interface LoopNote {
  /** The number of the newest fact. */
  readonly seq: number;
  /** How many iterations are finished. */
  readonly iteration: number;
  readonly status: string;
}

/** One backup of a loop. It is written last, so a backup without it does not exist. */
export interface Manifest extends LoopNote {
  readonly loopId: string;
  /** The epoch of the loop's owner, and the number of the backup in it. */
  readonly epoch: number;
  readonly number: number;
  readonly createdAt: string;
  /** Whether the objects are encrypted in age's format. */
  readonly isSealed: boolean;
  readonly journal: JournalEnd;
  /** Files that change, as they were. */
  readonly current: ObjectRef;
  /** Everything that only grows: objects, pages of objects, pages of pages, and so on. */
  readonly levels: readonly (readonly ObjectRef[])[];
}

/** A manifest is small, however old its loop is. */
export const maxManifestBytes = 256 * 1024;
/** The longest object, stored or expanded: what is longer is split. */
const maxObjectBytes = 48 * 1024 * 1024;

// Numbers of a fixed length: the order of the names is that of the backups.
const nameForm = /^(\d{6})-(\d{9})\.json$/;
const refForm = /^(packs|pages|current)\/(?:\d{6}-\d{9}-(?:\d{4}-)?)?([0-9a-f]{64})\.(json|tar\.gz)(\.age)?$/;

/** `000002-000000007`: the seventh backup of the second owner. Later backups have later names. */
export function backupName({ epoch, number }: Pick<Manifest, 'epoch' | 'number'>): string {
  return `${String(epoch).padStart(6, '0')}-${String(number).padStart(9, '0')}`;
}

/** The epoch and number in the name of a manifest; undefined for anything that we would not have written. */
export function parseManifestName(name: string): { readonly epoch: number; readonly number: number } | undefined {
  const [, epoch, number] = nameForm.exec(name) ?? [];
  return epoch === undefined || number === undefined ? undefined : { epoch: Number(epoch), number: Number(number) };
}

/** The backup for which an object was stored first; undefined for a name that does not say it. */
export function backupOfObject(object: string): string | undefined {
  return refForm.test(object) ? /^[a-z]+\/(\d{6}-\d{9})-/.exec(object)?.[1] : undefined;
}

/** The SHA-256 of bytes, in hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether bytes are what a reference stands for. */
export function isIntact({ name, bytes }: ObjectRef, found: Uint8Array): boolean {
  return found.byteLength === bytes && refForm.exec(name)?.[2] === digestOf(found);
}

/** A manifest as it is stored. */
export function encodeManifest(manifest: Manifest): Buffer {
  const { isSealed, ...rest } = manifest;
  const sealed = isSealed ? 'age' : 'none';
  const text = JSON.stringify({ format: 'ralphd-backup', version: 1, encryption: sealed, ...rest });
  return Buffer.from(`${text.slice(0, -1)},"sha256":"${digestOf(Buffer.from(text))}"}\n`);
}

/** Reads a manifest of a loop; refuses one of another loop, of another name or with anything unexpected in it. */
export function parseManifest(
  bytes: Uint8Array,
  expected: { readonly loopId: string; readonly name: string },
): Manifest {
  const what = `The backup ${expected.name} of ${expected.loopId}`;
  const refuse = (why: string) => new LoopError(failures.backupDamaged(what, why));
  const found = parseObject(bytes);
  if (found?.['format'] !== 'ralphd-backup') throw refuse('its manifest cannot be read');
  if (found['version'] !== 1) throw refuse('it was made by a newer version of ralphd');
  if (!isSound(bytes)) throw refuse('its manifest is damaged');
  const { loopId, epoch, number, createdAt, seq, iteration, status, encryption, journal, current, levels } = found;
  if (loopId !== expected.loopId || !isLoopId(expected.loopId)) throw refuse('its manifest is about another loop');
  if (!isCount(epoch) || !isCount(number) || backupName({ epoch, number }) !== expected.name) {
    throw refuse('its manifest has the name of another backup');
  }
  const isKnown = isCount(seq) && isCount(iteration) && typeof status === 'string' && typeof createdAt === 'string';
  if (!isKnown || !isEnd(journal) || !isRef(current) || !isLevels(levels)) throw refuse('its manifest is incomplete');
  // Retention removes it with its backup: it must be nothing that other backups need.
  if (!current.name.startsWith(`current/${expected.name}-`))
    throw refuse('its manifest claims an object of another one');
  const isSealed = encryption === 'age';
  return {
    loopId: expected.loopId,
    epoch,
    number,
    createdAt,
    seq,
    iteration,
    status,
    isSealed,
    journal,
    current,
    levels,
  };
}

/** Whether the digest at the end of a manifest is that of the rest. */
function isSound(bytes: Uint8Array): boolean {
  const [, text = '', sha256] = /^(.*),"sha256":"([0-9a-f]{64})"\}\n$/.exec(Buffer.from(bytes).toString()) ?? [];
  return sha256 === digestOf(Buffer.from(`${text}}`));
}

/** Reads a page: a list of references. */
export function parsePage(bytes: Uint8Array): readonly ObjectRef[] | undefined {
  const found = parseObject(bytes);
  const refs = found?.['objects'];
  return Array.isArray(refs) && refs.every(isRef) ? refs : undefined;
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof found === 'object' && found !== null ? { ...found } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isRef(value: unknown): value is ObjectRef {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes, size }: Record<string, unknown> = { ...value };
  if (typeof name !== 'string' || !refForm.test(name)) return false;
  return isCount(bytes) && bytes <= maxObjectBytes && isCount(size) && size <= maxObjectBytes;
}

/** The greatest number of levels: enough for more objects than any target holds. */
const maxLevels = 8;

function isLevels(value: unknown): value is ObjectRef[][] {
  if (!Array.isArray(value) || value.length > maxLevels) return false;
  return value.every((level: unknown) => Array.isArray(level) && level.every(isRef));
}

function isEnd(value: unknown): value is JournalEnd {
  if (typeof value !== 'object' || value === null) return false;
  const { segment, bytes, sha256 }: Record<string, unknown> = { ...value };
  return typeof segment === 'string' && isCount(bytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}
