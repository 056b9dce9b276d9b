/** Problems that do not stop the loop. */
export interface Problems {
  readonly messages: readonly string[];
  report(message: string): void;
  /** Runs an optional step; a failure is reported once and never thrown. */
  attempt(what: string, step: () => void): void;
  watch(listener: (message: string) => void): Disposable;
}

/** Starts with the problems that are already known. */
export function createProblems(known: readonly string[]): Problems {
  const messages = [...known];
  const listeners = new Set<(message: string) => void>();
  const report = (message: string) => {
    // A full disk causes the same problem after every iteration.
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
        report(`${what}: ${error instanceof Error ? error.message : String(error)} The loop continues.`);
      }
    },
    watch(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
