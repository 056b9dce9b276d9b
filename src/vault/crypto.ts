import type { KeyObject } from 'node:crypto';

/** The system's cryptography. It is loaded on first use: a loop that is not encrypted never needs it. */
export function crypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}

let loaded: typeof import('node:crypto') | undefined;

/**
 * A key for one purpose, derived from another. The salt makes it unique, the purpose separates it from all others. This
 * is HKDF-SHA256 of one block, in its two steps: the function of the system takes six times as long.
 */
export function deriveKey(key: Uint8Array, salt: Uint8Array, purpose: string): KeyObject {
  const hmac = (by: Uint8Array, ...parts: readonly (string | Uint8Array)[]) =>
    parts.reduce((mac, part) => mac.update(part), crypto().createHmac('sha256', by)).digest();
  // A cipher takes a key object several times faster than bytes.
  return crypto().createSecretKey(hmac(hmac(salt, key), purpose, Buffer.of(1)));
}

const cipher = 'aes-256-gcm';
const tagBytes = 16;

/** What a sealed text is bound to: the key and the nonce, and what else must be the same when it is opened. */
export interface Box {
  readonly key: KeyObject;
  readonly nonce: Uint8Array;
  readonly bound: string;
}

/** Encrypts bytes; the result ends with the tag that authenticates them and what they are bound to. */
export function seal({ key, nonce, bound }: Box, text: Uint8Array): Buffer {
  const sealing = crypto().createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(bound));
  // One call for all of it: each costs more than the encryption of a short text.
  const sealed = sealing.update(text);
  sealing.final();
  return Buffer.concat([sealed, sealing.getAuthTag()]);
}

/** The bytes that were sealed; undefined if anything about them, or about what they are bound to, has changed. */
export function unseal({ key, nonce, bound }: Box, sealed: Uint8Array): Buffer | undefined {
  if (sealed.byteLength < tagBytes) return undefined;
  const end = sealed.byteLength - tagBytes;
  const opening = crypto().createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(bound));
  opening.setAuthTag(sealed.subarray(end));
  const text = opening.update(sealed.subarray(0, end));
  try {
    opening.final();
    return text;
  } catch {
    return undefined;
  }
}
