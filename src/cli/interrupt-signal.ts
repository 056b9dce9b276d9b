/** A signal for work that Ctrl-C ends. */
export function listenForInterrupt(): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const end = () => stop.abort();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  for (const name of signals) process.once(name, end);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, end);
    },
  };
}
