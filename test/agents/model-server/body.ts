import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Json, objectOf } from './json.ts';

/** The JSON object in a request, decompressed if necessary; empty if there is none. */
export async function bodyOf(request: IncomingMessage): Promise<Json> {
  const raw = unpack(await buffer(request), request.headers['content-encoding']);
  if (raw.length === 0) return {};
  try {
    return objectOf(JSON.parse(raw.toString()));
  } catch {
    return {};
  }
}

function unpack(raw: Buffer, encoding: string | undefined): Buffer {
  switch (encoding) {
    case 'gzip':
      return gunzipSync(raw);
    case 'br':
      return brotliDecompressSync(raw);
    case 'zstd':
      return zstdDecompressSync(raw);
    default:
      return raw;
  }
}
