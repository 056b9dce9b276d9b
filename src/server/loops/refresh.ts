/** Carries out an action soon after it was asked for, once for many requests, and never twice at a time. */
export interface Refresh extends Disposable {
  soon(): void;
  now(): Promise<void>;
}

const delayMs = 150;

/** An action that fails is carried out again when it is asked for again. */
export function createRefresh(action: () => Promise<void>): Refresh {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isOver = false;
  const now = async () => {
    running = running.then(action).catch(() => {});
    await running;
  };
  return {
    now,
    soon: () => {
      if (isOver) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void now();
      }, delayMs);
    },
    [Symbol.dispose]: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
