/** Things that went wrong beside the loop: it goes on without them. */
export interface Problems {
  readonly messages: readonly string[];
  report(message: string): void;
  /** Does something that the loop can do without; a failure is reported once and never thrown. */
  attempt(what: string, step: () => void): void;
  watch(listener: (message: string) => void): Disposable;
}

/** Nothing has gone wrong beyond what is already known. */
export function createProblems(known: readonly string[]): Problems {
  const messages = [...known];
  const listeners = new Set<(message: string) => void>();
  const report = (message: string) => {
    // A disk that stays full causes the same problem after every iteration.
    if (messages.includes(message)) return;
    messages.push(message);
    for (const listener of listeners) listener(message);
  };
  return {
    messages,
    report,
    attempt(what, step) {
      try {
        step();
      } catch (error) {
        report(`${what}: ${error instanceof Error ? error.message : String(error)} The loop goes on.`);
      }
    },
    watch(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
