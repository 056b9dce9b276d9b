import { gunzipSync, gzipSync } from 'node:zlib';

const maxRatio = 100;
// The ratio is not checked for small texts.
const alwaysAllowedBytes = 1024 * 1024;

/** Whether bytes start like gzip. */
function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Compresses deterministically. */
export function compress(bytes: Uint8Array): Buffer {
  return gzipSync(bytes);
}

/** Decompresses gzip bytes; undefined if they are damaged, or expand beyond `limit` or a hundredfold. */
export function expand(bytes: Uint8Array, limit: number): Buffer | undefined {
  const maxOutputLength = Math.min(limit, Math.max(alwaysAllowedBytes, bytes.byteLength * maxRatio));
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
}

/** Bytes for a file that may be compressed: compressed, unless `unpack` would then refuse them. */
export function pack(bytes: Uint8Array, limit: number): Uint8Array {
  const packed = compress(bytes);
  // What repeats itself more than a hundredfold cannot be told from a bomb.
  return bytes.byteLength > alwaysAllowedBytes && expand(packed, limit) === undefined ? bytes : packed;
}

/** The content of a file that may be compressed; undefined if it cannot be decompressed. */
export function unpack(bytes: Buffer, limit: number): Buffer | undefined {
  return isGzip(bytes) ? expand(bytes, limit) : bytes;
}
