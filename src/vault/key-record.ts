import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { createFileExclusively, type FilePort, look, readWhole, writeFileDurably } from '../files/index.ts';
import { deriveKey, seal, unseal } from './crypto.ts';
import type { MasterKey } from './master-key.ts';

/** The name of the file with a loop's wrapped key; one is in the loop's folder, copies are beside its journal. */
export const keyFileName = 'key.json';

/** What a key file says in clear text. All of it is authenticated together with the key. */
export interface KeyRecord {
  readonly loopId: string;
  /** The master key that opens it. */
  readonly keyId: string;
  readonly createdAt: string;
  /** The file that the master key was read from, where it is looked for first. */
  readonly keyFile?: string | undefined;
  /** Files that stay readable for other programs. */
  readonly clear: readonly string[];
  /** False while files from before the encryption may still be in clear text. */
  readonly complete: boolean;
}

/** A key file, opened. */
export interface OpenKey {
  readonly record: KeyRecord;
  /** The key of the loop. */
  readonly key: Buffer;
}

const format = 1;
const maxBytes = 16 * 1024;
const noNonce = Buffer.alloc(12);

/** The text of a key file. Its wrapping key is used once, because its salt is new. */
export function wrapKey(open: OpenKey, master: MasterKey, randomBytes: (count: number) => Buffer): string {
  const { key } = open;
  const record = { ...open.record, keyId: master.id, keyFile: master.file };
  const salt = randomBytes(32);
  const wrapped = seal({ key: wrappingKey(master, salt), nonce: noNonce, bound: boundTo(record) }, key);
  const text = {
    ralphd: 'key',
    format,
    loop_id: record.loopId,
    key_id: record.keyId,
    created_at: record.createdAt,
    ...(record.keyFile === undefined ? {} : { key_file: record.keyFile }),
    clear: record.clear,
    complete: record.complete,
    salt: salt.toString('base64'),
    wrapped: wrapped.toString('base64'),
  };
  return `${JSON.stringify(text, undefined, 2)}\n`;
}

/** A key file that has been read and not opened. */
export interface LockedKey {
  readonly record: KeyRecord;
  /** The file itself. */
  readonly text: string;
  readonly salt: Buffer;
  readonly wrapped: Buffer;
}

/** The key of a loop; undefined if the record was changed. The master key must be the one that it names. */
export function unwrapKey({ record, salt, wrapped }: Omit<LockedKey, 'text'>, master: MasterKey): Buffer | undefined {
  const key = unseal({ key: wrappingKey(master, salt), nonce: noNonce, bound: boundTo(record) }, wrapped);
  return key?.byteLength === 32 ? key : undefined;
}

function wrappingKey({ bytes }: MasterKey, salt: Buffer): KeyObject {
  return deriveKey(bytes, salt, 'ralphd wrapped key 1');
}

function boundTo({ loopId, keyId, createdAt, keyFile, clear, complete }: KeyRecord): string {
  return JSON.stringify(['ralphd key', format, loopId, keyId, createdAt, keyFile ?? null, clear, complete]);
}

/** What one copy may be refused with although another one is of use: a flipped bit can make it look newer. */
const refusals: ReadonlySet<string> = new Set(['STATE_UNREADABLE', 'STATE_NEWER_VERSION']);

/** The key files among these folders that can be read; those that are missing or damaged are left out. */
export function readKeyFiles(files: FilePort, folders: readonly string[], loopId: string): readonly LockedKey[] {
  let refusal: LoopError | undefined;
  const keys = folders.flatMap((folder) => {
    const file = path.join(folder, keyFileName);
    try {
      if (look(files, file)?.kind !== 'file') return [];
      const bytes = readWhole(files, file, { limit: maxBytes });
      const found = parse(bytes, file);
      return found?.record.loopId === loopId ? [{ ...found, text: bytes.toString('utf8') }] : [];
    } catch (error) {
      if (!(error instanceof LoopError) || !refusals.has(error.failure.code)) throw error;
      refusal ??= error;
      return [];
    }
  });
  if (keys.length === 0 && refusal) throw refusal;
  return keys;
}

/** Whether any of these folders has a key file, whatever it contains. */
export function hasKeyFile(files: FilePort, folders: readonly string[]): boolean {
  return folders.some((folder) => look(files, path.join(folder, keyFileName)) !== undefined);
}

/** Writes the key file in each of these folders that exists, unless it already says this. */
export function keepKeyFiles(files: FilePort, folders: readonly string[], text: string): void {
  const bytes = Buffer.from(text);
  for (const folder of folders) {
    const file = path.join(folder, keyFileName);
    if (look(files, folder)?.kind !== 'folder') continue;
    if (look(files, file) === undefined) {
      if (createFileExclusively(files, file, bytes)) continue;
    }
    if (!isSame(files, file, bytes)) writeFileDurably(files, file, bytes);
  }
}

function isSame(files: FilePort, file: string, bytes: Buffer): boolean {
  try {
    return readWhole(files, file, { limit: maxBytes }).equals(bytes);
  } catch (error) {
    if (error instanceof LoopError && error.failure.code === 'STATE_UNREADABLE') return false;
    throw error;
  }
}

function parse(bytes: Buffer, file: string): Omit<LockedKey, 'text'> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const version = fields['format'];
  if (fields['ralphd'] === 'key' && typeof version === 'number' && version > format) {
    throw new LoopError(failures.stateNewerVersion(file, String(format), String(version)));
  }
  return fields['ralphd'] === 'key' && version === format ? lockedKey(fields) : undefined;
}

function lockedKey(fields: Readonly<Record<string, unknown>>): Omit<LockedKey, 'text'> | undefined {
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [loopId, keyId, createdAt] = [text('loop_id'), text('key_id'), text('created_at')];
  const [salt, wrapped] = [text('salt'), text('wrapped')];
  const { clear, complete } = fields;
  if (loopId === undefined || keyId === undefined || createdAt === undefined) return undefined;
  if (salt === undefined || wrapped === undefined || typeof complete !== 'boolean' || !isTexts(clear)) return undefined;
  const keyFile = text('key_file');
  return {
    record: { loopId, keyId, createdAt, clear, complete, ...(keyFile === undefined ? {} : { keyFile }) },
    salt: Buffer.from(salt, 'base64'),
    wrapped: Buffer.from(wrapped, 'base64'),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
