/** Runs tasks one after the other, in order. */
export interface Queue {
  /** Runs a task once all earlier ones have settled, whether they succeeded or failed. */
  add<Result>(task: () => Promise<Result>): Promise<Result>;
}

/** An empty queue. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async add(task) {
      const result = last.then(task);
      last = result.catch(() => {});
      return await result;
    },
  };
}
