import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import type { FilePort } from './files/file-port.ts';
import type { JournalEntry } from './journal/line.ts';
import type { Position } from './journal/position.ts';
import { type JournalReading, readJournal } from './journal/read.ts';
import { parseSegment } from './journal/segment-name.ts';
import type { Problem } from './problem.ts';
import { readSnapshot, type SnapshotDocument, type SnapshotReading, snapshotPath } from './snapshot.ts';

/** One loop's folder on one disk. */
export interface LoopPlace {
  readonly files: FilePort;
  readonly loopId: string;
  readonly folder: string;
}

/** The state that a loop's files add up to. */
export interface Recovery {
  /** The newest good snapshot; when there is none, `entries` starts at the beginning. */
  readonly snapshot?: SnapshotDocument;
  /** The facts behind the snapshot. */
  readonly entries: readonly JournalEntry[];
  readonly end: Position | undefined;
  /** The highest epoch ever used. */
  readonly epoch: number;
  readonly problems: readonly Problem[];
  readonly cutOff: JournalReading['cutOff'];
  /** Whether there is a snapshot that must not be used. */
  readonly hasBadSnapshot: boolean;
}

/** Where a loop's journal is. */
export function journalFolder(folder: string): string {
  return path.join(folder, 'journal');
}

/** Finds out what a loop's files add up to, by reading only: the snapshot and what follows it, else everything. */
export function recover(place: LoopPlace): Recovery {
  const { files, folder } = place;
  const journal = { files, folder: journalFolder(folder) };
  const snapshot = readSnapshot(files, folder, place.loopId);
  if (snapshot.kind === 'ok') {
    const { document, position } = snapshot;
    const reading = readJournal(journal, position);
    if (reading !== 'off_chain') {
      const epoch = Math.max(reading.epoch, parseSegment(position.segment)?.epoch ?? 0);
      return { ...reading, epoch, snapshot: document, hasBadSnapshot: false };
    }
  }
  const reading = readJournal(journal);
  const bad = snapshotProblem(snapshotPath(folder), snapshot);
  const problems = [...bad, ...reading.problems];
  if (!reading.end && !(isUnborn(reading) && bad.length === 0)) {
    const findings = reading.segments > 0 ? problems : [...problems, noJournal(journal.folder)];
    throw new LoopError(
      failures.stateUnrecoverable(
        place.loopId,
        findings.map((problem) => problem.message.replace(/\.$/, '')),
      ),
    );
  }
  return { ...reading, problems, hasBadSnapshot: bad.length > 0 };
}

// A process that died while it made the loop leaves one segment without a sound line: nothing was acknowledged.
function isUnborn(reading: JournalReading): boolean {
  return reading.segments <= 1 && reading.problems.length === 0;
}

function noJournal(folder: string): Problem {
  return { kind: 'corruption', file: folder, message: `${folder} holds no journal.` };
}

function snapshotProblem(file: string, snapshot: SnapshotReading): readonly Problem[] {
  if (snapshot.kind === 'missing') return [];
  if (snapshot.kind === 'damaged') {
    const message = `${file} cannot be trusted (${snapshot.why}); the state is rebuilt from the journal.`;
    return [{ kind: 'snapshot_damaged', file, message }];
  }
  const message = `${file} was written by a process that had lost the loop; the state is rebuilt from the journal.`;
  return [{ kind: 'snapshot_stale', file, message }];
}
