import { watch } from 'node:fs';

/**
 * Calls back soon after a change in a folder, as far as the system reports it; undefined if it cannot be watched.
 * A hint only, which may be missing: callers that need certainty check from time to time. It keeps no process alive.
 */
export function watchFolder(folder: string, onChange: () => void): Disposable | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return undefined;
  }
}
