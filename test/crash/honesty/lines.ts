import type { Operation } from '../disk/recorder.ts';

/** The operations on a disk, one line each, with unique parts of names replaced. */
export function linesOf(operations: readonly Operation[]): readonly string[] {
  return operations.filter(({ kind }) => kind !== 'failedSync').map(lineOf);
}

/** A path without its unique part. */
export function plain(place: string): string {
  return place.replace(/\.[^./]+\.tmp$/, '.*.tmp').replace(/(\.broken-[0-9TZ]+)-[^/]+$/, '$1-*');
}

function lineOf(operation: Operation): string {
  const path = plain(operation.path);
  if (operation.kind === 'write') return `write ${path} ${operation.bytes.byteLength}`;
  return operation.kind === 'rename' ? `rename ${plain(operation.from)} ${path}` : `${operation.kind} ${path}`;
}
