/** Tells followers which loops have new facts: at once, then at most every so often. */
export interface Announcer extends Disposable {
  announce(loopId: string): void;
}

const everyMs = 250;
/** A payload has to stay below 8,000 bytes. */
const mostAtOnce = 50;

/** A notification takes a lock of the whole database at commit, so no append carries one. */
export function createAnnouncer(notify: (loopIds: string) => Promise<void>): Announcer {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const next = [...changed].slice(0, mostAtOnce);
    if (next.length === 0) return;
    for (const loopId of next) changed.delete(loopId);
    timer = setTimeout(flush, everyMs);
    timer.unref();
    // Followers look at the table from time to time anyway.
    notify(next.join(' ')).catch(() => {});
  };
  return {
    announce(loopId) {
      changed.add(loopId);
      if (timer === undefined) flush();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
