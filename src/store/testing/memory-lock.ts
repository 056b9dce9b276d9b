import type { LockPort } from '../lock/lock-port.ts';

/** Locks of one imaginary machine; `freeAll` is what its kernel does when the owner dies. */
export function createMemoryLock(): LockPort & { freeAll(): void } {
  const held = new Set<string>();
  return {
    tryHold(path) {
      if (held.has(path)) return undefined;
      held.add(path);
      return { release: () => void held.delete(path) };
    },
    freeAll: () => held.clear(),
  };
}
