import { failures, LoopError } from '../base/index.ts';

/** Lets only so many through at a time; the others wait, and when too many wait, they are refused. */
export interface Gatekeeper {
  run<Result>(action: () => Promise<Result>): Promise<Result>;
}

/** For work that takes a core or a program for a while. */
export function createGatekeeper({
  atOnce,
  waiting,
}: {
  readonly atOnce: number;
  readonly waiting: number;
}): Gatekeeper {
  let running = 0;
  const queue: (() => void)[] = [];
  return {
    async run(action) {
      if (running >= atOnce) {
        if (queue.length >= waiting) throw new LoopError(failures.serverBusy('too many requests wait for an answer'));
        const { promise, resolve } = Promise.withResolvers<void>();
        queue.push(resolve);
        await promise;
      }
      running += 1;
      try {
        return await action();
      } finally {
        running -= 1;
        queue.shift()?.();
      }
    },
  };
}

/** Counts what is kept open. */
export interface Slots {
  /** Takes a place, or refuses. */
  take(): Disposable;
}

/** As many places as one person's pages and scripts need. */
export function createSlots(most: number, what: string): Slots {
  let taken = 0;
  return {
    take() {
      if (taken >= most) throw new LoopError(failures.serverBusy(`${most} ${what} are open`));
      taken += 1;
      let isTaken = true;
      return {
        [Symbol.dispose]: () => {
          if (isTaken) taken -= 1;
          isTaken = false;
        },
      };
    },
  };
}
