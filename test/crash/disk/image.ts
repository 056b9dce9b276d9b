/** The state of a disk at one moment: every path with its bytes, or marked as a folder. Immutable. */
export type Image = ReadonlyMap<string, Buffer | 'folder'>;

/** A disk with only a root folder. */
export const emptyImage: Image = new Map([['/', 'folder']]);

/** The folder that holds a path. */
export function parentOf(place: string): string {
  const cut = place.lastIndexOf('/');
  return cut <= 0 ? '/' : place.slice(0, cut);
}

/** The last part of a path. */
export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1);
}

/** A path inside a folder. */
export function inside(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** The same image with one file's bytes changed. */
export function withFile(image: Image, place: string, bytes: Buffer): Image {
  return new Map(image).set(place, bytes);
}
