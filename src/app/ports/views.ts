import path from 'node:path';
import { evolve, type IterationRecord, isTerminal, type Loop } from '../../core/index.ts';
import {
  addToAnalytics,
  iterationsOfAnalytics,
  tagsOfCheckpoint,
  toAnalyticsDocument,
  toAnalyticsIteration,
  toCheckpointDocument,
  toStateDocument,
} from '../../formats/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import { listCheckpoints, type OpenLoop, type Position, readView } from '../../store/index.ts';
import type { Problems } from '../problems.ts';
import { createIterationRecords } from './iteration-records.ts';
import type { Registry } from './registry-port.ts';

/** What is kept of a loop besides its journal and snapshot. None of it is ever waited for between two agents. */
export interface Views {
  /** Takes note of facts; writes nothing. */
  note(facts: readonly RecordedFact[]): void;
  /** Writes the checkpoint that is due, before the snapshot that names it. */
  checkpoint(): void;
  /** The newest checkpoint, relative to the project. */
  readonly lastCheckpoint: string | undefined;
  /** Writes everything else that is due, once the snapshot is there. */
  saved(loop: Loop): void;
  /** Says that the loop is alive. */
  heartbeat(): void;
}

/** A loop, where problems go, and the list of loops it is on. */
export interface ViewSetting {
  readonly open: OpenLoop;
  readonly before: Loop;
  readonly problems: Problems;
  readonly registry: Registry;
}

interface DueCheckpoint {
  readonly loop: Loop;
  readonly position: Position;
}

/** The views of a loop that this process owns. */
export function createViews({ open, before, problems, registry }: ViewSetting): Views {
  const { records, opening } = createIterationRecords(open);
  let checkpointed: { readonly iteration: number; readonly file?: string } = { iteration: 0 };
  problems.attempt('The checkpoints cannot be listed', () => {
    checkpointed = listCheckpoints(open.place)[0] ?? checkpointed;
  });
  let loop = before;
  let due: DueCheckpoint | undefined;
  let results: readonly IterationRecord[] = opening;
  let listedStatus: Loop['status'] | undefined;
  let backedUpStatus = before.status;
  let iterations = iterationsOfAnalytics(readView(open.place, analyticsFile), open.loopId);

  const noteCheckpoint = () => {
    const isDue = isTerminal(loop.status) || loop.finished - checkpointed.iteration >= loop.config.checkpointInterval;
    if (isDue && open.position) due = { loop, position: open.position };
  };
  const writeResults = () => {
    const written = results;
    results = [];
    iterations = addToAnalytics(iterations, written.map(toAnalyticsIteration));
    if (!loop.config.history.persist) return;
    for (const record of written) {
      problems.attempt(`The record of iteration ${record.number} was not written`, () => writeResult(open, record));
    }
  };
  const writeAnalytics = () => {
    const document = toAnalyticsDocument(loop, iterations, new Date().toISOString());
    problems.attempt('The analytics were not written', () => open.writeView(analyticsFile, json(document)));
  };
  noteCheckpoint();

  return {
    note(facts) {
      for (const fact of facts) loop = evolve(loop, fact);
      results = [...results, ...records.follow(facts)];
      if (facts.some(({ type }) => type === 'iteration.finished' || type === 'loop.ended')) noteCheckpoint();
    },
    checkpoint() {
      const taken = due;
      due = undefined;
      if (!taken || taken.loop.status === 'idle') return;
      const iteration = taken.loop.finished;
      problems.attempt(`The checkpoint of iteration ${iteration} was not written`, () => {
        checkpointed = { iteration, file: writeCheckpoint(open, taken) };
      });
      problems.attempt('Old checkpoints were not removed', () => void open.pruneCheckpoints(isTagged));
    },
    get lastCheckpoint() {
      return checkpointed.file && path.relative(loop.workingDirectory, checkpointed.file);
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
      problems.attempt('The registry was not brought up to date', registry.refresh);
    },
    heartbeat() {
      writeAnalytics();
      problems.attempt('The registry was not brought up to date', registry.refresh);
    },
  };
}

/** Whether somebody gave a checkpoint a name to be kept by. */
export function isTagged(checkpoint: object): boolean {
  return tagsOfCheckpoint(checkpoint).length > 0;
}

const analyticsFile = ['analytics', 'analytics.json'] as const;

function writeCheckpoint(open: OpenLoop, { loop, position }: DueCheckpoint): string {
  const isOver = isTerminal(loop.status);
  return open.writeCheckpoint({
    iteration: loop.finished,
    document: toStateDocument(loop),
    position,
    wrap: (snapshot, bytes) =>
      toCheckpointDocument(loop, snapshot, {
        createdAt: new Date().toISOString(),
        trigger: isOver ? 'phase_boundary' : 'iteration',
        tags: isOver ? ['final'] : [],
        bytes,
      }),
  });
}

/** The record of an iteration; what the agent was told and said stands in files beside it. */
function writeResult(open: OpenLoop, record: IterationRecord): void {
  const folder = path.relative(open.folder, open.iterationFolder(record.number, record.attempt));
  const files = { prompt: 'prompt', stdout: 'stdout', stderr: 'stderr' };
  open.writeView([...folder.split(path.sep), 'result.json'], json({ ...record, files }));
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
