import { watchFolder } from './watch-folder.ts';

/** How a change in a folder is waited for. */
export interface ChangeOptions {
  readonly signal: AbortSignal;
  /** How long a change that the system did not report goes unnoticed. */
  readonly lookAgainMs: number;
}

/** The next change in a folder, from now on. What was changed before has to be looked at after this call. */
export function nextChange(
  folder: string,
  { signal, lookAgainMs }: ChangeOptions,
): Disposable & { readonly happened: Promise<void> } {
  const { promise: happened, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const watch = watchFolder(folder, end);
  const timer = setTimeout(end, lookAgainMs);
  signal.addEventListener('abort', end);
  return {
    happened,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watch?.[Symbol.dispose]();
      signal.removeEventListener('abort', end);
    },
  };
}
