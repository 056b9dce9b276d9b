import { hash } from 'node:crypto';
import type { Image } from '../disk/image.ts';

/** A 64-bit hash of some bytes or a path. */
export interface Fingerprint {
  readonly high: number;
  readonly low: number;
}

const ofBytes = new WeakMap<Buffer, Fingerprint>();
const ofPaths = new Map<string, Fingerprint>();

/** The fingerprint of a file's content; computed once per buffer. */
export function contentPrint(bytes: Buffer): Fingerprint {
  const known = ofBytes.get(bytes);
  if (known) return known;
  const made = digest(bytes);
  ofBytes.set(bytes, made);
  return made;
}

/** The fingerprint of a path; computed once. */
export function pathPrint(place: string): Fingerprint {
  const known = ofPaths.get(place);
  if (known) return known;
  const made = digest(place);
  ofPaths.set(place, made);
  return made;
}

/** Combines entries into one 53-bit number, independent of their order. */
export class ImagePrint {
  #high = 0;
  #low = 0;

  add(place: Fingerprint, content: Fingerprint): void {
    this.#high = (this.#high + Math.imul(place.high ^ (content.high >>> 7), content.low | 1)) >>> 0;
    this.#low = (this.#low + Math.imul(place.low ^ (content.low >>> 5), content.high | 1)) >>> 0;
  }

  get value(): number {
    return this.#high * 2 ** 21 + (this.#low >>> 11);
  }
}

/** The fingerprint of a folder, used instead of a content. */
export const folderPrint = contentPrint(Buffer.from('folder'));

/** The fingerprint of a whole image. */
export function imagePrint(image: Image): number {
  const print = new ImagePrint();
  for (const [place, content] of image) {
    print.add(pathPrint(place), content === 'folder' ? folderPrint : contentPrint(content));
  }
  return print.value;
}

function digest(what: Buffer | string): Fingerprint {
  const bytes = hash('sha1', what, 'buffer');
  return { high: bytes.readUInt32LE(0), low: bytes.readUInt32LE(4) };
}
