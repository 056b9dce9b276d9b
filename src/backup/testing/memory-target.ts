import { failures, LoopError } from '../../base/index.ts';
import type { BackupTarget } from '../target.ts';

/** A target in memory, with every call on record; a test may let calls fail. */
export interface MemoryTarget extends BackupTarget {
  readonly objects: Map<string, Uint8Array>;
  readonly sent: { readonly name: string; readonly bytes: number }[];
  /** Throws to let a call fail. */
  fail: (call: string, name: string) => void;
}

/** Creates an empty target. */
export function createMemoryTarget(objects = new Map<string, Uint8Array>()): MemoryTarget {
  const sent: { name: string; bytes: number }[] = [];
  const target: MemoryTarget = {
    where: 'memory',
    objects,
    sent,
    fail: () => {},
    async create(name, bytes) {
      target.fail('create', name);
      sent.push({ name, bytes: bytes.byteLength });
      if (objects.has(name)) return false;
      objects.set(name, Buffer.from(bytes));
      return true;
    },
    async read(name, limit) {
      target.fail('read', name);
      const found = objects.get(name);
      if (found !== undefined && found.byteLength > limit) throw failed('it is too long');
      return found;
    },
    async list(folder, after) {
      target.fail('list', folder);
      return [...objects.keys()]
        .filter((name) => name.startsWith(`${folder}/`))
        .map((name) => name.slice(folder.length + 1))
        .filter((name) => !name.includes('/') && (after === undefined || name > after))
        .toSorted();
    },
    folders: async () => [...new Set([...objects.keys()].map((name) => name.split('/')[0] ?? ''))].toSorted(),
    async remove(name) {
      target.fail('remove', name);
      objects.delete(name);
    },
  };
  return target;
}

/** The failure of a target that cannot be reached. */
export function failed(why: string): LoopError {
  return new LoopError(failures.backupTargetFailed('memory', why));
}
