import { gunzipSync, gzipSync } from 'node:zlib';

const maxRatio = 100;
// Small texts may repeat themselves as much as they like.
const alwaysAllowedBytes = 1024 * 1024;

/** Whether bytes start like gzip. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Compresses, the same bytes to the same result. */
export function compress(bytes: Uint8Array): Buffer {
  return gzipSync(bytes);
}

/** What gzip bytes hold, whole; undefined when they are damaged, or blow up beyond `limit` or a hundredfold. */
export function expand(bytes: Uint8Array, limit: number): Buffer | undefined {
  const maxOutputLength = Math.min(limit, Math.max(alwaysAllowedBytes, bytes.byteLength * maxRatio));
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
}
