import type { FilePort, OpenFile } from '../../../src/files/index.ts';
import { systemError } from '../../../src/files/testing/faulty-files.ts';
import type { Recorder } from './recorder.ts';

/** How one call goes wrong: the system's word for it, what becomes of a write, or `KILL`. */
export type Fault = string;

/** The process died: nothing it does any more reaches the disk. Never one of our failures. */
export class Killed extends Error {}

/** Decides about each call before it happens: undefined lets it pass. */
export type FaultPlan = (call: {
  readonly name: string;
  readonly path: string | undefined;
  readonly index: number;
}) => Fault | undefined;

/**
 * A disk whose calls fail as planned. `SHORT` makes a write take half and say so, `TORN` makes it take half and fail,
 * `GARBLED` makes it take other bytes and say nothing; on other calls these are EIO. A failed sync loses what it
 * should have saved. A failed close still closes.
 */
export function failingFiles(recorder: Recorder, plan: FaultPlan): FilePort {
  const inner = recorder.files;
  let index = 0;
  const around =
    (name: string, value: (...details: unknown[]) => unknown) =>
    (...details: unknown[]): unknown => {
      index += 1;
      const [first, second] = details;
      const fault = plan({ name, index, path: typeof first === 'string' ? first : undefined });
      if (fault === undefined) return Reflect.apply(value, inner, details);
      if (fault === 'KILL') throw new Killed();
      if (typeof first === 'number') {
        if (name === 'close') inner.close(first);
        if (name === 'sync' || name === 'syncData') recorder.syncFailed(first);
        const taken = name === 'write' && second instanceof Uint8Array ? spoiled(first, second, fault) : undefined;
        if (taken !== undefined) return taken;
      }
      throw systemError(fault.startsWith('E') ? fault : 'EIO');
    };
  const spoiled = (file: OpenFile, bytes: Uint8Array, fault: Fault): number | undefined => {
    if (fault === 'GARBLED') return inner.write(file, Buffer.from(bytes).fill('?', 0, 40));
    if (fault !== 'SHORT' && fault !== 'TORN') return undefined;
    const taken = inner.write(file, bytes.subarray(0, Math.ceil(bytes.byteLength / 2)));
    return fault === 'SHORT' ? taken : undefined;
  };
  const wrapped = Object.entries(inner).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || name === 'uniqueName') return [name, value];
    return [name, around(name, value as (...details: unknown[]) => unknown)];
  });
  return Object.fromEntries(wrapped) as FilePort;
}
