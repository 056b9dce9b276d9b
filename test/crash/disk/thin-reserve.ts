import type { FilePort, OpenFile } from '../../../src/files/index.ts';

const mark = Buffer.from('reserve\n');

/**
 * The owner's reserved space is random bytes that nobody reads. Replacing them with a marker keeps images small and
 * deterministic.
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
