import path from 'node:path';

/**
 * A path with one character per byte. File names are bytes, not text: read as UTF-8, a name in another encoding
 * could not be opened again.
 */
export type RawPath = string;

/** A path as the program holds it, turned into its bytes. */
export function toRaw(text: string): RawPath {
  return Buffer.from(text).toString('latin1');
}

/** The bytes that name the file to the system. */
export function toBytes(raw: RawPath): Buffer {
  return Buffer.from(raw, 'latin1');
}

/** The path as text for people. */
export function toText(raw: RawPath): string {
  return toBytes(raw).toString('utf8');
}

/** Whether a path is one of these folders or files, or lies under one. */
export function isUnder(raw: RawPath, roots: readonly RawPath[]): boolean {
  return roots.some((root) => raw === root || raw.startsWith(root === '/' ? root : `${root}/`));
}

/** Joins a folder and a path below it. */
export function join(folder: RawPath, name: RawPath): RawPath {
  return path.posix.join(folder, name);
}
