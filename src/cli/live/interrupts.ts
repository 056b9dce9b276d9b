// The launcher forwards signals that a terminal has already sent to both processes.
const sameInterruptMs = 300;

interface Reactions {
  /** Ends the agent cleanly and pauses the loop. */
  readonly pause: (signal: NodeJS.Signals) => void;
  /** Ends the agent at once. */
  readonly kill: () => void;
}

/** What signals mean to a loop: the first one pauses it, and a second one kills its agent. */
export interface Interrupts {
  readonly receive: (signal: NodeJS.Signals) => void;
  readonly first: () => NodeJS.Signals | undefined;
}

/** Tells a second interrupt from one that arrives twice, whether or not the first can be recorded. */
export function createInterrupts({ pause, kill }: Reactions): Interrupts {
  let first: NodeJS.Signals | undefined;
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  return {
    first: () => first,
    receive: (signal) => {
      if (first !== undefined) {
        if (isSettled) kill();
        return;
      }
      first = signal;
      // A copy that arrived while a slow disk blocked this process is read after the timer and before the immediate.
      setTimeout(() => setImmediate(settle), sameInterruptMs).unref();
      pause(signal);
    },
  };
}
