import { createCell, useCell } from './cell.ts';

const visibleMs = 1_000;
const hiddenMs = 10_000;

let skewMs = 0;
const clock = createCell(Date.now());

/** Takes the server's clock, so that ages are right on a device whose clock is not. */
export function setServerClock(nowMs: number): void {
  skewMs = nowMs - Date.now();
  clock.set(now());
}

/** The instant on the server's clock. */
export function now(): number {
  return Date.now() + skewMs;
}

/** The same, and the component is drawn again every second. */
export function useNow(): number {
  return useCell(clock);
}

/** Lets the clock tick. */
export function startClock(): void {
  const tick = () => {
    clock.set(now());
    setTimeout(tick, document.hidden ? hiddenMs : visibleMs);
  };
  tick();
  document.addEventListener('visibilitychange', () => clock.set(now()));
}
