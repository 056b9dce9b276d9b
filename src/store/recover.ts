import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { look } from '../files/index.ts';
import type { SnapshotDocument } from '../protocol/index.ts';
import { type JournalPlace, segmentPath } from './journal/head.ts';
import type { JournalEntry } from './journal/line.ts';
import type { Position } from './journal/position.ts';
import { type JournalReading, listSegments, readJournal } from './journal/read.ts';
import { parseSegment } from './journal/segment-name.ts';
import type { LoopPlace } from './place.ts';
import type { Problem } from './problem.ts';
import { readSnapshot, type SnapshotReading, snapshotPath } from './snapshot.ts';
import { type RecoverySource, type StoredDocument, storedDocuments } from './stored-documents.ts';

/** The state that results from a loop's files. */
export interface Recovery {
  /** The newest good snapshot; when there is none, `entries` starts at the beginning. */
  readonly snapshot?: SnapshotDocument;
  /** The facts after the snapshot. */
  readonly entries: readonly JournalEntry[];
  readonly end: Position | undefined;
  /** The highest epoch ever used. */
  readonly epoch: number;
  readonly problems: readonly Problem[];
  readonly cutOff: JournalReading['cutOff'];
  /** Whether there is a snapshot that must not be used. */
  readonly hasBadSnapshot: boolean;
  /** What the state was rebuilt from, besides the journal. */
  readonly source: RecoverySource;
  /** The older format of the snapshot, whose file must be kept. */
  readonly migratedFrom?: number;
}

// The first line of a segment, padded to a page.
const unbornBytes = 4096;

/** Where a loop's journal is. */
export function journalFolder(folder: string): string {
  return path.join(folder, 'journal');
}

/** The journal of a loop. */
export function journalOf({ files, folder, loopId }: LoopPlace): JournalPlace {
  return { files, folder: journalFolder(folder), loopId };
}

/**
 * Determines the state that results from a loop's files, by reading only: the snapshot and what follows it; else the newest
 * checkpoint or backup and what follows it; else everything; otherwise it refuses and lists what it found.
 */
export function recover(place: LoopPlace): Recovery {
  const { files, folder } = place;
  const journal = journalOf(place);
  const snapshot = readSnapshot(files, folder, place.loopId, place.upcasters);
  if (snapshot.kind === 'ok') {
    const { migratedFrom } = snapshot;
    const found = readAfter(journal, snapshot);
    const source = { kind: 'snapshot', file: snapshotPath(folder) } as const;
    if (found) return { ...found, hasBadSnapshot: false, source, ...(migratedFrom !== undefined && { migratedFrom }) };
  }
  const bad = snapshotProblem(snapshotPath(folder), snapshot);
  const stored = recoverFromStored(place, bad);
  return 'recovery' in stored ? stored.recovery : recoverFromJournal(place, [...bad, ...stored.unusable]);
}

function readAfter(journal: JournalPlace, { document, position }: Pick<StoredDocument, 'document' | 'position'>) {
  const reading = readJournal(journal, position);
  if (reading === 'off_chain') return undefined;
  const epoch = Math.max(reading.epoch, parseSegment(position.segment)?.epoch ?? 0);
  return { ...reading, epoch, snapshot: document };
}

function recoverFromStored(
  place: LoopPlace,
  bad: readonly Problem[],
): { readonly recovery: Recovery } | { readonly unusable: readonly Problem[] } {
  const unusable: Problem[] = [];
  for (const stored of storedDocuments(place)) {
    if ('problem' in stored) {
      unusable.push(stored.problem);
      continue;
    }
    const found = readAfter(journalOf(place), stored);
    if (!found) continue;
    const name = path.relative(place.folder, stored.file);
    const instead = { kind: 'rebuilt', file: stored.file, message: `The state is rebuilt from ${name}.` } as const;
    const later = found.problems.map((problem) => ({
      ...problem,
      message: problem.message.replaceAll('state.json', name),
    }));
    const problems = [...bad, ...unusable, instead, ...later];
    const source = { kind: stored.kind, file: stored.file };
    return { recovery: { ...found, problems, hasBadSnapshot: bad.length > 0, source } };
  }
  return { unusable };
}

function recoverFromJournal(place: LoopPlace, bad: readonly Problem[]): Recovery {
  const journal = journalOf(place);
  const reading = readJournal(journal);
  const problems = [...bad, ...reading.problems];
  if (!reading.end && !isUnborn(journal, problems)) {
    const findings = reading.segments > 0 ? problems : [...problems, noJournal(journal.folder)];
    throw new LoopError(
      failures.stateUnrecoverable(
        place.loopId,
        findings.map((problem) => problem.message.replace(/\.$/, '')),
      ),
    );
  }
  const source = { kind: 'journal', file: journal.folder } as const;
  const hasBadSnapshot = bad.some(({ kind }) => kind.startsWith('snapshot'));
  return { ...reading, problems, hasBadSnapshot, source };
}

// Processes that died while they created the loop leave no more than the beginning of one line each, perhaps with zeros
// after it: nothing was acknowledged. More than that is damage.
function isUnborn(journal: JournalPlace, problems: readonly Problem[]): boolean {
  if (problems.some(({ kind }) => kind !== 'torn_tail')) return false;
  const sizes = listSegments(journal).map((segment) => look(journal.files, segmentPath(journal, segment))?.size ?? 0);
  return sizes.every((size) => size <= unbornBytes);
}

function noJournal(folder: string): Problem {
  return { kind: 'corruption', file: folder, message: `${folder} contains no journal.` };
}

function snapshotProblem(file: string, snapshot: SnapshotReading): readonly Problem[] {
  if (snapshot.kind === 'missing') return [];
  if (snapshot.kind === 'damaged') {
    const message = `${file} cannot be trusted (${snapshot.why}); the state is rebuilt without it.`;
    return [{ kind: 'snapshot_damaged', file, message }];
  }
  const message = `${file} was written by a process that had lost the loop; the state is rebuilt without it.`;
  return [{ kind: 'snapshot_stale', file, message }];
}
