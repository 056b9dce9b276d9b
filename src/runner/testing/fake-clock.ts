import type { Clock } from '../ports/clock.ts';

/** Both clocks of a machine, moved by a test: time passes only while everybody waits. */
export interface FakeClock extends Clock {
  /** Resolves after this much time on the clock that never jumps, or as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets time pass at once; whoever should have woken meanwhile wakes at the next `wakeNext`. */
  pass(ms: number): void;
  /** Sets the clock on the wall, as a person or a suspended machine does. */
  jump(ms: number): void;
  /** How long it is until the next sleeper wakes; infinite when nobody waits for a time that will come. */
  nextMs(): number;
  /** Lets that time pass and wakes the sleeper; false when there is none. */
  wakeNext(): boolean;
  /** The same clock for a process of its own, which can be ended: its sleepers never wake. */
  forProcess(): FakeClock & { end(): void };
}

interface Sleeper {
  readonly process: object;
  /** On the clock that never jumps. */
  readonly atMs: number;
  /** On the wall. */
  readonly instantMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. `onPassed` learns how much time passes. */
export function createFakeClock(startMs: number, onPassed: (ms: number) => void = () => {}): FakeClock {
  let [wallMs, monotonicMs] = [startMs, 0];
  let sleepers: Sleeper[] = [];
  const pass = (ms: number) => {
    wallMs += ms;
    monotonicMs += ms;
    onPassed(ms);
  };
  const leftMs = ({ atMs, instantMs }: Sleeper) => Math.max(0, Math.min(atMs - monotonicMs, instantMs - wallMs));
  const next = (): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const each of sleepers) if (first === undefined || leftMs(each) < leftMs(first)) first = each;
    return first;
  };
  const nextMs = () => {
    const first = next();
    return first === undefined ? Number.POSITIVE_INFINITY : leftMs(first);
  };
  const wakeNext = () => {
    const first = next();
    if (first === undefined || leftMs(first) === Number.POSITIVE_INFINITY) return false;
    if (leftMs(first) > 0) pass(leftMs(first));
    first.wake();
    return true;
  };
  const wait = (due: Omit<Sleeper, 'wake'>, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        sleepers = sleepers.filter((each) => each !== sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { ...due, wake };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', wake);
    });
  const forProcess = () => {
    const process = {};
    let hasEnded = false;
    const waitHere = (due: Omit<Sleeper, 'wake' | 'process'>, signal?: AbortSignal) =>
      hasEnded ? new Promise<void>(() => {}) : wait({ ...due, process }, signal);
    return {
      nowMs: () => wallMs,
      monotonicMs: () => monotonicMs,
      waitUntil: (instantMs: number, signal: AbortSignal) =>
        waitHere({ instantMs, atMs: monotonicMs + Math.max(0, instantMs - wallMs) }, signal),
      sleep: (ms: number, signal?: AbortSignal) =>
        waitHere({ atMs: monotonicMs + ms, instantMs: Number.POSITIVE_INFINITY }, signal),
      pass,
      jump: (ms: number) => void (wallMs += ms),
      nextMs,
      wakeNext,
      forProcess,
      end: () => {
        hasEnded = true;
        sleepers = sleepers.filter((each) => each.process !== process);
      },
    };
  };
  return forProcess();
}

/** Resolves once everything that can continue without time passing has done so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
