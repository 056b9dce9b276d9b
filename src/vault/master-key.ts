import { failures, LoopError } from '../base/index.ts';
import { crypto } from './crypto.ts';

/** The key that unlocks the keys of all loops. */
export interface MasterKey {
  /** Tells keys apart, and reveals nothing about them. */
  readonly id: string;
  readonly bytes: Buffer;
  /** Where it was found, for messages. */
  readonly source: string;
  /** The file it was read from. */
  readonly file?: string;
}

const prefix = 'ralphd-key-1';
const pattern = /^(ralphd-key-1\.([A-Za-z0-9_-]{43}))\.([0-9a-f]{8})$/;

/** A new master key, as the text that people keep. */
export function createKeyText(): string {
  const body = `${prefix}.${crypto().randomBytes(32).toString('base64url')}`;
  return `${body}.${checksum(body)}`;
}

/** Reads a master key; refuses a text that was shortened or mistyped. */
export function parseKeyText(text: string, where: { readonly source: string; readonly file?: string }): MasterKey {
  const [, body, encoded, check] = pattern.exec(text.trim()) ?? [];
  if (body === undefined || encoded === undefined || check !== checksum(body)) {
    throw new LoopError(failures.keyInvalid(where.source));
  }
  const bytes = Buffer.from(encoded, 'base64url');
  return { ...where, bytes, id: idOf(bytes) };
}

function checksum(body: string): string {
  return crypto().createHash('sha256').update(body).digest('hex').slice(0, 8);
}

function idOf(key: Buffer): string {
  return crypto().createHmac('sha256', key).update('ralphd key id 1').digest('hex').slice(0, 16);
}
