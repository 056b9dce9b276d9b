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

/** The path as text that names the same file to the system; undefined when it is not UTF-8, so that no text does. */
export function toName(raw: RawPath): string | undefined {
  if (/^[\x00-\x7f]*$/.test(raw)) return raw;
  const text = toText(raw);
  return toRaw(text) === raw ? text : undefined;
}

/** The path as text for people. */
export function toText(raw: RawPath): string {
  return toBytes(raw).toString('utf8');
}

/** Whether a path is one of these folders or files, or lies under one. */
export function isUnder(raw: RawPath, roots: readonly RawPath[]): boolean {
  return roots.some((root) => raw === root || raw.startsWith(root === '/' ? root : `${root}/`));
}

/** Joins a folder and a path below it; either may be empty. */
export function join(folder: RawPath, name: RawPath): RawPath {
  if (folder === '' || name === '') return folder + name;
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
