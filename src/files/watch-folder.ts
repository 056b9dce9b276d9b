import { watch } from 'node:fs';

/**
 * Calls back soon after a change in a folder, as far as the system reports it; undefined if it cannot be watched.
 * Only a hint: callers that need certainty also poll. Does not keep the process alive.
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

/** How long an unreported change may go unnoticed. */
const lookAgainMs = 1_000;

/** Resolves soon after the next change in a folder, after a second at the latest, or when the signal aborts. */
export function nextChange(folder: string, signal: AbortSignal): Disposable & { readonly happened: Promise<void> } {
  const { promise: happened, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const watcher = watchFolder(folder, end);
  const timer = setTimeout(end, lookAgainMs);
  signal.addEventListener('abort', end);
  return {
    happened,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watcher?.[Symbol.dispose]();
      signal.removeEventListener('abort', end);
    },
  };
}
