import { createHash } from 'node:crypto';
import type { Fingerprint } from './fingerprint.ts';

/** A short text that is the same for fingerprints between which nothing changed. */
export function digestOf(fingerprint: Fingerprint): string {
  if (fingerprint.kind === 'unknown') return 'unknown';
  const { kind } = fingerprint;
  const digest = createHash('sha1').update(kind === 'git' ? String(fingerprint.head) : '');
  if (kind === 'tree') for (const entry of fingerprint.files) digest.update(JSON.stringify(entry));
  else for (const [path, { work }] of fingerprint.differing) digest.update(JSON.stringify([path, work]));
  return digest.digest('hex');
}
