import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, in a form that fits into links, headers and cookies. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret: enough to recognise it, too little to use it. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether a text is the secret with this digest; how long that takes tells nothing about either. */
export function isSecret(given: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digest));
}
