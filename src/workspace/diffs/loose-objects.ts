import { hash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { createExactReader, makePrivateFolder, nodeFiles, placeFile } from '../../files/index.ts';
import { type Content, exists, isMissing } from '../content.ts';
import { type RawPath, toBytes, toRaw } from '../raw-path.ts';

/** The lines of a larger file are not kept. */
export const maxDiffedBytes = 1024 * 1024;

/** Contents of files and folders, each kept as a loose object of git. */
export interface LooseObjects {
  has(id: string): boolean;
  /** Keeps a file or link that still has this content, and returns its size; undefined if it cannot be kept. */
  keepFile(file: RawPath, content: Content): number | undefined;
  /** Keeps some bytes, and returns their id. */
  keepBytes(bytes: Buffer): string;
  /** Keeps a tree unless it is the known one, and returns its id. */
  keepTree(bytes: Buffer, known: string | undefined): string;
}

/** The loose objects below folders; only the first is written to. */
export function createLooseObjects(folders: readonly [string, ...string[]], algorithm: string): LooseObjects {
  const reader = createExactReader({ maxBytes: maxDiffedBytes });
  const placeOf = (id: string, folder = folders[0]) => path.join(folder, id.slice(0, 2), id.slice(2));
  const has = (id: string) => folders.some((folder) => exists(toRaw(placeOf(id, folder))));
  const keep = (object: Buffer, id: string) => {
    if (has(id)) return;
    const place = placeOf(id);
    makePrivateFolder(path.dirname(place));
    placeFile(nodeFiles, place, deflateSync(object, { level: 1 }));
  };
  return {
    has,
    keepFile(file, content) {
      const [mode, id = ''] = content.split(' ');
      const bytes = unlessMissing(() =>
        mode === '120000' ? readlinkSync(toBytes(file), 'buffer') : reader.read(toBytes(file))?.bytes,
      );
      if (bytes === undefined) return undefined;
      const object = withHeader(bytes);
      // It may have changed since its content was read.
      if (hash(algorithm, object) !== id) return undefined;
      keep(object, id);
      return bytes.length;
    },
    keepBytes(bytes) {
      const object = withHeader(bytes);
      const id = hash(algorithm, object);
      keep(object, id);
      return id;
    },
    keepTree(bytes, known) {
      const object = withHeader(bytes, 'tree');
      const id = hash(algorithm, object);
      if (id !== known) keep(object, id);
      return id;
    },
  };
}

function withHeader(bytes: Buffer, kind = 'blob'): Buffer {
  return Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes]);
}

function unlessMissing<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
