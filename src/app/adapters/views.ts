import path from 'node:path';
import { type IterationRecord, idleLoop, isTerminal, type Loop } from '../../core/index.ts';
import {
  addToAnalytics,
  iterationsOfAnalytics,
  tagsOfCheckpoint,
  toAnalyticsDocument,
  toAnalyticsIteration,
  toCheckpointDocument,
  toStateDocument,
} from '../../formats/index.ts';
import { defaultConfig, provenanceOf, type RecordedFact } from '../../protocol/index.ts';
import type { Clock } from '../../runner/index.ts';
import {
  listCheckpoints,
  maxCheckpoints,
  type OpenLoop,
  type Position,
  positionAfter,
  readView,
} from '../../store/index.ts';
import type { Problems } from '../problems.ts';
import type { FileAttemptFiles } from './file-attempt-files.ts';
import { addToHistoryFile, historyFileOf } from './history-file.ts';
import { createIterationRecords } from './iteration-records.ts';
import type { Registry } from './registry-port.ts';

/** What is kept of a loop besides its journal and snapshot. Agents never wait for it. */
export interface Views {
  /** Notes facts and the resulting loop; writes nothing. */
  note(facts: readonly RecordedFact[], loop: Loop): void;
  /** Writes due checkpoints before the snapshot that names the newest. */
  checkpoint(): void;
  /** The newest checkpoint, relative to the project. */
  readonly lastCheckpoint: string | undefined;
  /** Writes everything else that is due after the snapshot. */
  saved(loop: Loop): void;
  /** Records that the loop is alive. */
  heartbeat(): void;
}

/** What the views of a loop need. */
export interface ViewSetting {
  readonly open: OpenLoop;
  readonly files: Pick<FileAttemptFiles, 'keepRecord'>;
  /** The recovered loop; undefined for a new one. */
  readonly before: Loop | undefined;
  readonly problems: Problems;
  readonly registry: Registry;
  readonly clock: Clock;
}

interface DueCheckpoint {
  readonly loop: Loop;
  readonly position: Position;
}

/** The views of a loop that this process owns. */
export function createViews({ open, files, before, problems, registry, clock }: ViewSetting): Views {
  const { records, opening } = createIterationRecords(open);
  let checkpointed = newestCheckpoint(open, problems);
  let loop = before ?? idleLoop(defaultConfig());
  const now = () => new Date(clock.nowMs()).toISOString();
  let due: readonly DueCheckpoint[] = [];
  let results: readonly IterationRecord[] = opening;
  let listedStatus: Loop['status'] | undefined;
  let backedUpStatus = loop.status;
  let iterations = iterationsOfAnalytics(readView(open.place, analyticsFile), open.loopId);

  const noteCheckpoint = () => {
    const last = due.at(-1)?.loop.position.finished ?? checkpointed.iteration;
    const isDue = isTerminal(loop.status) || loop.position.finished - last >= loop.config.checkpointInterval;
    // The facts of the next iteration may have been written with these.
    const position = isDue ? positionAfter(open, loop.journal.seq) : undefined;
    if (position) due = addTo(due, { loop, position });
  };
  const writeResults = () => {
    const written = results;
    results = [];
    iterations = addToAnalytics(iterations, written.map(toAnalyticsIteration));
    if (!loop.config.history.persist) return;
    const provenance = provenanceOf(loop.config);
    for (const record of written) {
      const keep = () => files.keepRecord(record, provenance);
      problems.attempt(`The record of iteration ${record.number} was not written`, keep);
    }
    const place = historyFileOf(loop);
    if (place === undefined || written.length === 0) return;
    problems.attempt('The history file was not written', () => addToHistoryFile(place, loop.id, { records: written }));
  };
  const writeAnalytics = () => {
    const document = toAnalyticsDocument(loop, iterations, now());
    problems.attempt('The analytics were not written', () => open.writeView(analyticsFile, json(document)));
  };
  noteCheckpoint();

  return {
    note(facts, after) {
      loop = after;
      results = [...results, ...records.follow(facts)];
      if (facts.some(({ type }) => type === 'iteration.finished' || type === 'loop.ended')) noteCheckpoint();
    },
    checkpoint() {
      const taken = due.filter((each) => each.loop.status !== 'idle');
      due = [];
      let written: string | undefined;
      for (const each of taken) {
        const iteration = each.loop.position.finished;
        problems.attempt(`The checkpoint of iteration ${iteration} was not written`, () => {
          written = writeCheckpoint(open, each, now());
          checkpointed = { iteration, file: written };
        });
      }
      const prune = () => void open.pruneCheckpoints(isTagged, written);
      if (taken.length > 0) problems.attempt('Old checkpoints were not removed', prune);
    },
    get lastCheckpoint() {
      return checkpointed.file && path.relative(loop.origin.workingDirectory, checkpointed.file);
    },
    saved({ status, config }) {
      writeResults();
      if (status !== 'running' && status !== 'completing' && status !== backedUpStatus) {
        writeAnalytics();
        const { maxBackups } = config.persistence;
        if (maxBackups > 0) problems.attempt('The state was not backed up', () => void open.backUp(config.persistence));
      }
      backedUpStatus = status;
      if (status === listedStatus || status === 'completing') return;
      listedStatus = status;
      problems.attempt('The registry was not updated', registry.refresh);
    },
    heartbeat() {
      writeAnalytics();
      problems.attempt('The registry was not updated', registry.refresh);
    },
  };
}

interface Checkpointed {
  readonly iteration: number;
  readonly file?: string;
}

function newestCheckpoint({ place }: OpenLoop, problems: Problems): Checkpointed {
  let newest: Checkpointed = { iteration: 0 };
  problems.attempt('The checkpoints cannot be listed', () => {
    newest = listCheckpoints(place)[0] ?? newest;
  });
  return newest;
}

/** One of the same iteration is replaced; more would be removed at once. */
function addTo(due: readonly DueCheckpoint[], added: DueCheckpoint): readonly DueCheckpoint[] {
  const others = due.filter(({ loop }) => loop.position.finished !== added.loop.position.finished);
  return [...others, added].slice(-maxCheckpoints);
}

/** Whether a user tagged a checkpoint to keep it. */
export function isTagged(checkpoint: object): boolean {
  return tagsOfCheckpoint(checkpoint).length > 0;
}

const analyticsFile = ['analytics', 'analytics.json'] as const;

function writeCheckpoint(open: OpenLoop, { loop, position }: DueCheckpoint, createdAt: string): string {
  const isOver = isTerminal(loop.status);
  return open.writeCheckpoint({
    iteration: loop.position.finished,
    document: toStateDocument(loop),
    position,
    wrap: (snapshot, bytes) =>
      toCheckpointDocument(loop, snapshot, {
        createdAt,
        trigger: isOver ? 'phase_boundary' : 'iteration',
        tags: isOver ? ['final'] : [],
        bytes,
      }),
  });
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
