import {
  createTargetQueue,
  encodeProgress,
  hasDiverged,
  type LoopSource,
  type Progress,
  type ProgressByTarget,
  pushBackup,
  type Retention,
  removeOldBackups,
  type TargetQueue,
} from '../../backup/index.ts';
import type { Redactor } from '../../base/index.ts';
import { isTerminal, type Loop } from '../../core/index.ts';
import { nodeFiles } from '../../files/index.ts';
import type { Fact, LoopConfig, RecordedFact } from '../../protocol/index.ts';
import type { FileLoop } from '../adapters/file-loop.ts';
import { thisMachine, timestamp } from '../machine.ts';
import { progressFile, readProgress } from './records.ts';
import { type OpenTarget, targetsOf } from './targets.ts';

/** Backs a loop up to its targets while it runs. Nothing in it can delay or fail the loop. */
export interface LoopBackups {
  /** Notes facts that were just recorded. */
  observe(facts: readonly RecordedFact[], loop: Loop): void;
  /** Waits for backups under way, within the grace period, and names what is not backed up. */
  settle(): Promise<void>;
}

/** What the backups of a loop need to know about it. */
export interface BackupSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly redactor: Redactor;
  /** Records a fact, unless the loop has ended. */
  readonly record: (fact: Fact) => Promise<void>;
}

const reportEveryMs = 3_600_000;
/** Facts after which the work stands still for a while, or for good. */
const resting: ReadonlySet<string> = new Set(['loop.paused', 'loop.parked', 'loop.ended']);

/** The backups of a loop that this process owns; they continue where an earlier process stopped. */
export function backupsFor(owned: FileLoop, setting: BackupSetting): LoopBackups {
  const { config, redactor } = setting;
  const { folder, problems } = owned;
  let progress: ProgressByTarget = readProgress(folder);
  let loop = owned.recovered.loop;
  let backedUpIteration = loop?.position.finished ?? 0;
  const reportedMs = new Map<string, number>();

  const keep = (name: string, next: Progress) => {
    progress = { ...progress, [name]: next };
    problems.attempt('The progress of the backups was not written', () =>
      owned.keepFile(progressFile, encodeProgress(progress)),
    );
  };
  const failed = (target: OpenTarget, error: unknown) => {
    const why = redactor.redact(error instanceof Error ? error.message : String(error));
    const before = progress[target.name] ?? { place: target.place, levels: [], iterations: 0 };
    keep(target.name, { ...before, problem: { at: timestamp(), why, hasDiverged: hasDiverged(error) } });
    const nowMs = thisMachine.clock.nowMs();
    if (nowMs - (reportedMs.get(target.name) ?? -reportEveryMs) < reportEveryMs) return;
    reportedMs.set(target.name, nowMs);
    problems.report(`${why} The loop is not affected; the backup is tried again.`);
  };
  const push = async (target: OpenTarget, signal: AbortSignal) => {
    if (loop === undefined) return;
    const source = sourceOf(owned, loop);
    const save = (next: Progress) => keep(target.name, next);
    const { last } = await pushAndPrune(source, {
      target,
      before: progress[target.name],
      save,
      signal,
      retention: config.backup,
    });
    if (last === undefined) return;
    const { name: backup, seq: upTo, bytes } = last;
    // The end of the grace period is no reason to forget that the backup was made.
    await setting
      .record({ type: 'backup.finished', data: { target: target.name, backup, upTo, bytes } })
      .catch(() => {});
  };
  const queues = targetsOf(config, setting).map((target) => {
    const queue = createTargetQueue({
      clock: thisMachine.clock,
      push: async (signal) => await push(target, signal),
      failed: (error) => failed(target, error),
    });
    return { target, queue };
  });
  const wantAll = () => {
    for (const { queue } of queues) queue.want();
  };
  if (loop !== undefined) wantAll();
  return {
    observe(facts, now) {
      loop = now;
      const { finished } = now.position;
      const isCheckpoint = finished - backedUpIteration >= config.checkpointInterval;
      if (!isCheckpoint && !facts.some(({ type }) => resting.has(type))) return;
      backedUpIteration = finished;
      wantAll();
    },
    async settle() {
      await Promise.all(queues.map(async (each) => await settleOne(each)));
    },
  };

  async function settleOne({
    target,
    queue,
  }: {
    readonly target: OpenTarget;
    readonly queue: TargetQueue;
  }): Promise<void> {
    const isDone = await queue.settle(config.backup.grace);
    if (isDone || loop === undefined) return;
    const missing = loop.journal.seq - (progress[target.name]?.last?.seq ?? 0);
    problems.report(
      `The newest ${missing} facts of this loop are not in the backup target "${target.name}". To finish the backup: ralphd backup push ${loop.id}`,
    );
  }
}

/** What makes one backup. */
export interface PushSetting {
  readonly target: OpenTarget;
  readonly before: Progress | undefined;
  readonly save: (progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly retention: Retention;
}

/** Makes one backup and removes those that are too old. */
export async function pushAndPrune(
  source: LoopSource,
  { target, before, save, signal, retention }: PushSetting,
): Promise<Progress> {
  const opened = target.open();
  try {
    const { place, sealing, maxPartBytes } = target;
    const { nowMs } = thisMachine.clock;
    const made = await pushBackup(source, before, {
      target: opened,
      place,
      sealing,
      maxPartBytes,
      nowMs,
      signal,
      save,
    });
    if (opened.commit === undefined) {
      await removeOldBackups({ target: opened, signal }, source.loopId, { ...retention, nowMs: nowMs() });
    }
    return made;
  } finally {
    opened[Symbol.dispose]?.();
  }
}

/** A loop as its backup describes it. */
export function sourceOf(
  { loopId, folder }: { readonly loopId: string; readonly folder: string },
  { journal: { seq, epoch }, position, status }: Loop,
): LoopSource {
  const isOver = isTerminal(status);
  return { files: nodeFiles, loopId, folder, epoch, seq, iteration: position.finished, status, isOver };
}
