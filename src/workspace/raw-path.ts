/**
 * A path with one character per byte. File names are bytes: decoded as UTF-8, a name in another encoding could not be
 * opened again.
 */
export type RawPath = string;

/** The raw path of a path given as text. */
export function toRaw(text: string): RawPath {
  return Buffer.from(text).toString('latin1');
}

/** The bytes of a path, for system calls. */
export function toBytes(raw: RawPath): Buffer {
  return Buffer.from(raw, 'latin1');
}

/** The path as a string that system calls accept; undefined when it is not UTF-8, so that no string names the file. */
export function toName(raw: RawPath): string | undefined {
  if (/^[\x00-\x7f]*$/.test(raw)) return raw;
  const text = toText(raw);
  return toRaw(text) === raw ? text : undefined;
}

/** The path as text for display. */
export function toText(raw: RawPath): string {
  return toBytes(raw).toString('utf8');
}

/** Whether a path equals one of the roots or lies below one. */
export function isUnder(raw: RawPath, roots: readonly RawPath[]): boolean {
  return roots.some((root) => raw === root || raw.startsWith(root === '/' ? root : `${root}/`));
}

/** Joins a folder and a relative path; either may be empty. */
export function join(folder: RawPath, name: RawPath): RawPath {
  if (folder === '' || name === '') return folder + name;
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
