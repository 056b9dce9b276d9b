import type { FilePort } from '../../../src/files/index.ts';
import type { SnapshotDocument } from '../../../src/protocol/index.ts';
import type { JournalEntry, LockPort, LoopFolders, OpenLoop } from '../../../src/store/index.ts';
import { thinReserve } from '../disk/thin-reserve.ts';
import type { Subject } from './subject.ts';

/** The loop in all scenarios. */
export const loopId = 'ralph-fix-tests-a1b2c3d4';
/** Its state folder. */
export const root = '/.ralph';
/** Its own folder. */
export const loopFolder = `${root}/loops/${loopId}`;
/** The mirror of a guarded loop. */
export const mirrorFolder = `/home/${loopId}`;

/** The disk and lock of a store, and the size at which its journal starts a new segment. */
export interface Machine {
  readonly files: FilePort;
  readonly lock: LockPort;
  readonly segmentBytes?: number;
  /** Overrides the usual state folder, for a real disk. */
  readonly root?: string;
  readonly pid?: number;
}

/** The subject's store on one machine, after its last owner died. */
export function storeOn(subject: Subject, machine: Machine): LoopFolders {
  const { files, lock, segmentBytes, pid = 4242 } = machine;
  return subject.openLoopFolders({
    root: machine.root ?? root,
    owner: { host: 'here', bootId: 'boot', pid, startTime: '100' },
    livenessOf: () => 'dead',
    now: () => new Date('2026-11-16T10:00:00.000Z'),
    files: subject.wrap(thinReserve(files)),
    lock,
    wait: () => {},
    ...(subject.mirrorRoot !== undefined && { mirrorRoot: subject.mirrorRoot }),
    ...(segmentBytes !== undefined && { segmentBytes }),
  });
}

/** Opens the loop, or creates it if its creation was never acknowledged. */
export function openOrCreate(store: LoopFolders, exists: boolean): OpenLoop {
  return exists || store.list().length > 0 ? store.open(loopId) : store.create(loopId);
}

/** Facts named by numbers; `size` sets the length of each. */
export function factsOf(numbers: readonly number[], size = 0) {
  return numbers.map((number) => ({ type: 'number.noted', data: { number, note: noteOf(number, size) } }));
}

/** A snapshot that contains every number so far. */
export function documentOf(iteration: number, numbers: readonly number[]): SnapshotDocument {
  return { version: '2.0.0', loop_id: loopId, status: 'running', iteration, ralphd: { numbers } };
}

/** The facts in a snapshot and after it; anything never recorded becomes NaN. */
export function fold(found: {
  readonly snapshot?: SnapshotDocument;
  readonly entries: readonly JournalEntry[];
}): readonly number[] {
  const ralphd = found.snapshot?.ralphd as { readonly numbers?: unknown } | undefined;
  const numbers: readonly unknown[] = Array.isArray(ralphd?.numbers) ? ralphd.numbers : [];
  return [
    ...numbers.map((number) => (typeof number === 'number' ? number : Number.NaN)),
    ...found.entries.filter(({ type }) => type !== 'state.restored').map(numberOf),
  ];
}

/** The iteration in a snapshot; 0 without one. */
export function iterationOf(snapshot: SnapshotDocument | undefined): number {
  return typeof snapshot?.iteration === 'number' ? snapshot.iteration : 0;
}

function numberOf({ type, data }: JournalEntry): number {
  const { number, note } = (data ?? {}) as { readonly number?: unknown; readonly note?: unknown };
  if (type !== 'number.noted' || typeof number !== 'number' || typeof note !== 'string') return Number.NaN;
  return note === noteOf(number, note.length) ? number : Number.NaN;
}

// Every byte is derived from the number, so that any change is detected.
function noteOf(number: number, size: number): string {
  return `fact ${number} `.padEnd(size, `${number} `);
}
