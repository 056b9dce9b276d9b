import type { FilePort } from '../file-port.ts';

/** One call that the store makes to the disk. */
export interface DiskCall {
  readonly name: string;
  readonly path: string | undefined;
  /** Counts from 1 over all calls. */
  readonly index: number;
}

/** A disk that reports every call before it happens; throwing there makes the call fail. */
export function watchFiles(inner: FilePort, before: (call: DiskCall) => void): FilePort {
  let index = 0;
  const watched = Object.entries(inner).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || name === 'uniqueName') return [name, value];
    const call = (...details: unknown[]): unknown => {
      index += 1;
      const [first] = details;
      before({ name, index, path: typeof first === 'string' ? first : undefined });
      return Reflect.apply(value, inner, details);
    };
    return [name, call];
  });
  return Object.fromEntries(watched) as FilePort;
}

/** The error with which the system refuses a call. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: refused for the test`), { code });
}
