import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { listForeignFolder, lookAtForeign, readForeignFile } from '../../files/index.ts';

/** As answers take them, without another copy for each. */
type Bytes = Uint8Array<ArrayBuffer>;

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Bytes;
  readonly zipped: Bytes;
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

/** The files of the page by their address. Nothing else can be asked for, whatever an address looks like. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

const maxFileBytes = 4 * 1024 * 1024;

/** Reads the page once; it is small, and belongs to the version that runs. */
export function readPageFiles(folder: string): PageFiles {
  const files = new Map<string, PageFile>();
  for (const [below, isHashed] of [
    ['', false],
    ['assets', true],
  ] as const) {
    for (const name of listForeignFolder(path.join(folder, below))) {
      const type = types[path.extname(name)];
      const file = path.join(folder, below, name);
      if (type === undefined || lookAtForeign(file) !== 'file') continue;
      const bytes = new Uint8Array(readForeignFile(file, maxFileBytes));
      files.set(path.posix.join('/', below, name), { type, bytes, zipped: new Uint8Array(gzipSync(bytes)), isHashed });
    }
  }
  return files;
}
