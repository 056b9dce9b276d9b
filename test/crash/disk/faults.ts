import type { FilePort, OpenFile } from '../../../src/files/index.ts';
import { systemError } from '../../../src/files/testing/faulty-files.ts';
import type { Recorder } from './recorder.ts';

/** How one call fails: an error code, a way to spoil a write, or `KILL`. */
export type Fault = string;

/** The process died: nothing more from it reaches the disk. Distinct from the store's own failures. */
export class Killed extends Error {}

/** Decides before each call whether it fails; undefined lets it pass. */
export type FaultPlan = (call: {
  readonly name: string;
  readonly path: string | undefined;
  readonly index: number;
}) => Fault | undefined;

/**
 * A disk whose calls fail as planned. `SHORT` writes half and reports the short count, `TORN` writes half and fails,
 * `GARBLED` writes wrong bytes and reports success; on other calls all three are EIO. A failed sync loses the unsynced
 * data. A failed close still closes the file.
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
