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
/** After so many seconds without a change the folder is watched anew: it may have been replaced by another one. */
const renewAfterSeconds = 60;

/** The changes in a folder, one after the other. */
export interface FolderChanges extends Disposable {
  /**
   * Resolves soon after a change since it last resolved, after a second at the latest, or when the signal aborts. When
   * the watch has just begun it resolves at once: what was written before may not have been read.
   */
  next(): Promise<void>;
}

/** Watches a folder from the first call of `next` on. */
export function watchChanges(folder: string, signal: AbortSignal): FolderChanges {
  let watcher: Disposable | undefined;
  let quietSeconds = 0;
  let hasNews = false;
  let waiting: PromiseWithResolvers<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let delivery: NodeJS.Immediate | undefined;
  const wake = () => {
    clearTimeout(timer);
    waiting?.resolve();
    waiting = undefined;
  };
  const deliver = () => {
    delivery = undefined;
    if (waiting === undefined || !hasNews) return;
    hasNews = false;
    wake();
  };
  const changed = () => {
    hasNews = true;
    quietSeconds = 0;
    // One write is several events, which arrive together.
    delivery ??= setImmediate(deliver);
  };
  const watchAnew = () => {
    watcher?.[Symbol.dispose]();
    watcher = watchFolder(folder, changed);
    quietSeconds = 0;
    hasNews = watcher !== undefined;
  };
  signal.addEventListener('abort', wake);
  return {
    next() {
      if (waiting !== undefined) return waiting.promise;
      if (watcher === undefined || quietSeconds >= renewAfterSeconds) watchAnew();
      if (hasNews || signal.aborted) {
        hasNews = false;
        return Promise.resolve();
      }
      waiting = Promise.withResolvers();
      timer = setTimeout(() => {
        quietSeconds += 1;
        wake();
      }, lookAgainMs);
      return waiting.promise;
    },
    [Symbol.dispose]: () => {
      clearImmediate(delivery);
      wake();
      watcher?.[Symbol.dispose]();
      signal.removeEventListener('abort', wake);
    },
  };
}
