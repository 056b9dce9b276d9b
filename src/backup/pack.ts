import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { failures, LoopError } from '../base/index.ts';
import { type Keys, openBytes, type Sealing, sealBytes } from './age.ts';
import { assertBelongs } from './loop-files.ts';
import { digestOf, isIntact, type ObjectRef } from './manifest.ts';
import { createTarReader, tarEnd, tarHeader, tarPadding } from './tar.ts';

/** Some bytes of a loop's file. */
export interface Part {
  readonly path: string;
  /** Where in the file they are; at 0 they replace what an earlier part had. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** An object to store. */
export interface StoredObject {
  readonly ref: ObjectRef;
  readonly bytes: Uint8Array;
}

const [compress, expand] = [promisify(gzip), promisify(gunzip)];
const partForm = /^(.+)\.from-(\d{12})$/;

/** Parts of files as one object: a compressed tar archive, encrypted if that is wanted. */
export async function packParts(
  parts: readonly Part[],
  {
    prefix,
    nowMs,
    sealing,
  }: { readonly prefix: string; readonly nowMs: number; readonly sealing?: Sealing | undefined },
): Promise<StoredObject> {
  const blocks = parts.flatMap((part) => {
    const size = part.bytes.byteLength;
    return [tarHeader({ name: nameOf(part), size }, nowMs), part.bytes, tarPadding(size)];
  });
  const tar = Buffer.concat([...blocks, tarEnd]);
  const zipped = await compress(tar);
  const bytes = sealing === undefined ? zipped : await sealBytes(zipped, sealing);
  const name = `${prefix}${digestOf(bytes)}.tar.gz${sealing === undefined ? '' : '.age'}`;
  return { bytes, ref: { name, bytes: bytes.byteLength, size: tar.byteLength } };
}

/** The parts in an object, after everything about it was checked. */
export async function unpackParts(ref: ObjectRef, bytes: Uint8Array, keys: Keys): Promise<readonly Part[]> {
  if (!isIntact(ref, bytes)) throw damaged(ref, 'its content is not what was stored');
  const zipped = ref.name.endsWith('.age') ? await openBytes(bytes, keys) : bytes;
  const tar = await expandTo(ref, zipped);
  const reader = createTarReader({ maxBytes: ref.size });
  const parts = reader.push(tar).map(({ name, bytes: content }) => partOf(name, content));
  reader.end();
  return parts;
}

async function expandTo(ref: ObjectRef, zipped: Uint8Array): Promise<Uint8Array> {
  try {
    return await expand(zipped, { maxOutputLength: Math.max(1, ref.size) });
  } catch {
    throw damaged(ref, 'it cannot be expanded to the size that it should have');
  }
}

// A whole file has its own name, so that any tar can unpack it; later parts are appended to it by their order.
function nameOf({ path, offset }: Part): string {
  return offset === 0 ? path : `${path}.from-${String(offset).padStart(12, '0')}`;
}

function partOf(name: string, bytes: Uint8Array): Part {
  const [, whole, offset] = partForm.exec(name) ?? [];
  const path = whole ?? name;
  assertBelongs(path);
  return { path, offset: Number(offset ?? 0), bytes };
}

function damaged({ name }: ObjectRef, why: string): LoopError {
  return new LoopError(failures.backupDamaged(`The object ${name} of the backup`, why));
}
