import type { FilePort, OpenFile } from '../../../src/files/index.ts';

const mark = Buffer.from('reserve\n');

/**
 * The space that an owner holds back is random bytes that nobody reads. A mark in their place keeps images small and
 * the same for the same seed.
 */
export function thinReserve(inner: FilePort): FilePort {
  const reserves = new Set<OpenFile>();
  return {
    ...inner,
    create(path) {
      const file = inner.create(path);
      if (path.endsWith('/reserve')) reserves.add(file);
      return file;
    },
    write(file, bytes) {
      if (!reserves.has(file)) return inner.write(file, bytes);
      return inner.write(file, mark) === mark.byteLength ? bytes.byteLength : Math.ceil(bytes.byteLength / 2);
    },
    close(file) {
      reserves.delete(file);
      inner.close(file);
    },
  };
}
