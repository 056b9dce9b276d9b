import path from 'node:path';
import { type FilePort, nodeFiles, placeFile, quietly, readWhole, watchChanges } from '../../files/index.ts';
import { maxActivityLength, type Pulse, readPulse } from '../../protocol/index.ts';
import type { PulseBus, PulseSink } from '../../runner/index.ts';
import type { LoopFolders } from '../../store/index.ts';

/** Receives every pulse of a loop that this process runs; undefined when a step is over. */
export type PulseListener = PulseSink;

/** The pulses of a loop that this process runs: for listeners in this process, and in a file for all others. */
export interface FilePulses extends Disposable {
  readonly sink: PulseSink;
  listen(listener: PulseListener): Disposable;
}

/** How pulses are written. */
export interface FilePulsesOptions {
  /** The loop's own folder. */
  readonly folder: string;
  readonly files?: FilePort;
  /** Removes secrets from a text. */
  readonly redact?: (text: string) => string;
  /** The minimum time between two writes; a pulse waits at most this long. */
  readonly everyMs?: number;
}

const fileName = 'pulse.json';
const maxFileBytes = 64 * 1024;
const defaultEveryMs = 1_000;

/**
 * Keeps the newest pulse in a file, replaced at most once a second, and at once when the step changes. A step that
 * takes less time leaves no trace. The file is not synced: nothing depends on it.
 */
export function createFilePulses(options: FilePulsesOptions): FilePulses {
  const { folder, files = nodeFiles, redact = (text) => text, everyMs = defaultEveryMs } = options;
  const file = path.join(folder, fileName);
  const listeners = new Set<PulseListener>();
  let newest: Pulse | undefined;
  let written: Pulse | undefined;
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const write = () => {
    cancel();
    if (newest === undefined || newest === written) return;
    written = newest;
    // The folder may be gone; then other processes see nothing until the next fact.
    quietly(() => placeFile(files, file, Buffer.from(`${JSON.stringify(newest)}\n`)));
  };
  const remove = () => {
    cancel();
    if (written !== undefined) quietly(() => files.remove(file));
    written = undefined;
  };
  const keep = (pulse: Pulse | undefined) => {
    newest = pulse;
    if (pulse === undefined) return remove();
    if (written !== undefined && isOtherStep(written, pulse)) return write();
    if (timer !== undefined) return;
    timer = setTimeout(write, everyMs);
    timer.unref();
  };
  return {
    sink(raw) {
      const pulse = raw && withoutSecrets(raw, redact);
      keep(pulse);
      for (const listener of listeners) {
        try {
          listener(pulse);
        } catch {
          listeners.delete(listener);
        }
      }
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => {
      remove();
      // An earlier owner may have left one when it was killed.
      quietly(() => files.remove(file));
    },
  };
}

/** The agent's output was redacted before it was shortened; the command of a check was not. */
function withoutSecrets(pulse: Pulse, redact: (text: string) => string): Pulse {
  return pulse.step === 'check' ? { ...pulse, command: redact(pulse.command).slice(0, maxActivityLength) } : pulse;
}

function isOtherStep(one: Pulse, other: Pulse): boolean {
  return one.step !== other.step || one.since !== other.since;
}

/** The newest pulse of a loop whose owner may still be alive; a pulse left by a dead owner is ignored. */
export function readFilePulse(folders: LoopFolders, loopId: string): Pulse | undefined {
  try {
    const place = folders.place(loopId);
    const owner = folders.ownerAt(place);
    if (owner === undefined || owner.liveness === 'dead') return undefined;
    const file = path.join(place.folder, fileName);
    const pulse = readPulse(readWhole(place.files, file, { limit: maxFileBytes }).toString());
    return pulse?.loopId === loopId && pulse.epoch === owner.epoch ? pulse : undefined;
  } catch {
    return undefined;
  }
}

/** The pulses of loops in folders, whichever process runs them. Holds one pulse at a time. */
export function createFilePulseBus(folders: LoopFolders): PulseBus {
  return {
    async *follow(loopId, { signal }) {
      if (!folders.has(loopId)) return;
      using changes = watchChanges(folders.place(loopId).folder, signal);
      let last = '';
      while (!signal.aborted) {
        const pulse = readFilePulse(folders, loopId);
        if (pulse === undefined && !folders.has(loopId)) return;
        const mark = JSON.stringify(pulse) ?? '';
        if (mark !== last) yield pulse;
        last = mark;
        await changes.next();
      }
    },
  };
}
