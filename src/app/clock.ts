import type { Clock } from '../runner/index.ts';

// Short timers instead of one long one, so that a changed clock or a suspended machine is noticed within a minute.
const maxNapMs = 60_000;

/** The machine's clocks. */
export const systemClock: Clock = clockWith(() => Date.now());

/** The machine's clocks, with a different wall clock. */
export function clockWith(nowMs: () => number): Clock {
  return {
    nowMs,
    monotonicMs: () => performance.now(),
    async waitUntil(instantMs, signal) {
      const startedMs = performance.now();
      const wholeMs = instantMs - nowMs();
      while (!signal.aborted) {
        const leftMs = Math.min(instantMs - nowMs(), wholeMs - (performance.now() - startedMs));
        if (leftMs <= 0) return;
        await nap(Math.min(leftMs, maxNapMs), signal);
      }
    },
  };
}

function nap(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
