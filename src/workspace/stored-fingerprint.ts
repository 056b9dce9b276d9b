import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Fingerprint } from './fingerprint.ts';

const maxTextBytes = 256 * 1024 * 1024;
// Names and ids compress badly: a higher level costs time and saves nothing.
const level = 1;
// Below this size, compressing here is faster than handing the text to the thread pool.
const smallTextLength = 64 * 1024;
// Preparing tables for a large text would take longer than a small one itself.
const smallTables = { windowBits: 12, memLevel: 4 };
const lineBreak = '\n';

const place = { v: z.literal(1), of: z.string(), folder: z.string(), excluded: z.array(z.string()), root: z.string() };

const storedSchema = z.discriminatedUnion('kind', [
  z.object({
    ...place,
    kind: z.literal('git'),
    algorithm: z.string(),
    head: z.string().nullable(),
    differing: z.array(z.tuple([z.string(), z.string(), z.string()])),
  }),
  z.object({ ...place, kind: z.literal('tree'), files: z.array(z.tuple([z.string(), z.string()])) }),
]);

/**
 * A fingerprint as bytes, so that a later process can compare with it; undefined for an unknown one. A small one is a line
 * of text. Both are compressed: the names of files are no text to be searched. `of` labels what it is the fingerprint of. The cache of contents is left out: after a restart every file is read again.
 */
export async function packFingerprint(of: string, fingerprint: Fingerprint): Promise<Buffer | undefined> {
  if (fingerprint.kind === 'unknown') return undefined;
  const { kind, folder, excluded, root } = fingerprint;
  const common = { v: 1 as const, of, folder, excluded: [...excluded], root };
  const stored: z.infer<typeof storedSchema> =
    kind === 'tree'
      ? { ...common, kind, files: [...fingerprint.files] }
      : {
          ...common,
          kind,
          algorithm: fingerprint.algorithm,
          head: fingerprint.head,
          differing: [...fingerprint.differing].map(([path, { head, work }]) => [path, head, work]),
        };
  const text = JSON.stringify(stored);
  if (text.length >= smallTextLength) return await promisify(gzip)(text, { level });
  return Buffer.from(gzipSync(text, { level, ...smallTables }).toString('base64') + lineBreak);
}

/** Reads stored bytes; damaged bytes and the fingerprint of anything else are unknown. */
export async function unpackFingerprint(of: string, bytes: Uint8Array): Promise<Fingerprint> {
  const stored = await parse(bytes);
  if (stored === undefined) return { kind: 'unknown', reason: 'the stored fingerprint is damaged' };
  if (stored.of !== of) return { kind: 'unknown', reason: `the stored fingerprint belongs to ${stored.of}` };
  const { kind, folder, excluded, root } = stored;
  const common = { folder, excluded, root, cache: new Map() };
  if (kind === 'tree') return { kind, ...common, files: new Map(stored.files) };
  const { algorithm, head } = stored;
  const differing = new Map(stored.differing.map(([path, committed, work]) => [path, { head: committed, work }]));
  return { kind, ...common, algorithm, head, differing };
}

async function parse(bytes: Uint8Array): Promise<z.infer<typeof storedSchema> | undefined> {
  try {
    const text = await promisify(gunzip)(compressedIn(bytes), { maxOutputLength: maxTextBytes });
    return storedSchema.safeParse(JSON.parse(text.toString())).data;
  } catch {
    return undefined;
  }
}

function compressedIn(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === lineBreak.charCodeAt(0)
    ? Buffer.from(Buffer.from(bytes).toString('latin1'), 'base64')
    : bytes;
}
