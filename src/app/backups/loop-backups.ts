import {
  createTargetQueue,
  encodeProgress,
  hasDiverged,
  type LoopSource,
  type Progress,
  type ProgressByTarget,
  pushBackup,
  type Reading,
  type Retention,
  removeOldBackups,
  sweepAbandoned,
  type TargetQueue,
} from '../../backup/index.ts';
import { LoopError, type Redactor } from '../../base/index.ts';
import { isTerminal, type Loop } from '../../core/index.ts';
import { nodeFiles } from '../../files/index.ts';
import type { Fact, LoopConfig, RecordedFact } from '../../protocol/index.ts';
import type { FileLoop } from '../adapters/file-loop.ts';
import { vault } from '../keys.ts';
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
  return new OwnedBackups(owned, setting);
}

interface Queued {
  readonly target: OpenTarget;
  readonly queue: TargetQueue;
}

class OwnedBackups implements LoopBackups {
  readonly #owned: FileLoop;
  readonly #setting: BackupSetting;
  readonly #queues: readonly Queued[];
  readonly #reportedMs = new Map<string, number>();
  #progress: ProgressByTarget;
  #loop: Loop | undefined;
  #backedUpIteration: number;

  constructor(owned: FileLoop, setting: BackupSetting) {
    this.#owned = owned;
    this.#setting = setting;
    this.#progress = readProgress(owned.folder);
    this.#loop = owned.recovered.loop;
    this.#backedUpIteration = this.#loop?.position.finished ?? 0;
    this.#queues = targetsOf(setting.config, setting).map((target) => {
      const queue = createTargetQueue({
        clock: thisMachine.clock,
        push: async (signal) => await this.#push(target, signal),
        failed: (error) => this.#failed(target, error),
      });
      return { target, queue };
    });
    if (this.#loop !== undefined) this.#wantAll();
  }

  observe(facts: readonly RecordedFact[], loop: Loop): void {
    this.#loop = loop;
    const { finished } = loop.position;
    const isCheckpoint = finished - this.#backedUpIteration >= this.#setting.config.checkpointInterval;
    if (!isCheckpoint && !facts.some(({ type }) => resting.has(type))) return;
    this.#backedUpIteration = finished;
    this.#wantAll();
  }

  async settle(): Promise<void> {
    await Promise.all(this.#queues.map(async (each) => await this.#settleOne(each)));
  }

  #wantAll(): void {
    for (const { queue } of this.#queues) queue.want();
  }

  async #push(target: OpenTarget, signal: AbortSignal): Promise<void> {
    if (this.#loop === undefined) return;
    // What is in clear text would be left out.
    this.#owned.sealAttempts(this.#loop);
    const { config, record } = this.#setting;
    const before = this.#progress[target.name];
    const { last } = await pushAndPrune(sourceOf(this.#owned, this.#loop), {
      target,
      before,
      save: (next) => this.#keep(target.name, next),
      signal,
      retention: config.backup,
      report: (message) => this.#report(target.name, message),
    });
    if (last === undefined || last.name === before?.last?.name) return;
    const { name: backup, seq: upTo, bytes } = last;
    // The end of the grace period is no reason to forget that the backup was made.
    await record({ type: 'backup.finished', data: { target: target.name, backup, upTo, bytes } }).catch(() => {});
  }

  #failed(target: OpenTarget, error: unknown): void {
    const why = this.#setting.redactor.redact(error instanceof Error ? error.message : String(error));
    const before = this.#progress[target.name] ?? { place: target.place, levels: [], iterations: 0 };
    this.#keep(target.name, { ...before, problem: { at: timestamp(), why, hasDiverged: hasDiverged(error) } });
    const next = hasDiverged(error) ? 'This loop is not backed up there any more.' : 'The backup is tried again.';
    this.#report(target.name, `${why} ${next} The loop is not affected.`);
  }

  /** At most once an hour for each target. */
  #report(name: string, message: string): void {
    const nowMs = thisMachine.clock.nowMs();
    if (nowMs - (this.#reportedMs.get(name) ?? -reportEveryMs) < reportEveryMs) return;
    this.#reportedMs.set(name, nowMs);
    this.#owned.problems.report(message);
  }

  #keep(name: string, next: Progress): void {
    this.#progress = { ...this.#progress, [name]: next };
    this.#owned.problems.attempt('The progress of the backups was not written', () =>
      this.#owned.keepFile(progressFile, encodeProgress(this.#progress)),
    );
  }

  async #settleOne({ target, queue }: Queued): Promise<void> {
    const isDone = await queue.settle(this.#setting.config.backup.grace);
    if (isDone || this.#loop === undefined) return;
    const missing = this.#loop.journal.seq - (this.#progress[target.name]?.last?.seq ?? 0);
    this.#owned.problems.report(
      `The newest ${missing} facts of this loop are not in the backup target "${target.name}". To finish the backup: ralphd backup push ${this.#loop.id}`,
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
  /** Names a problem that does not keep the backup from being made. */
  readonly report: (message: string) => void;
  /** Whether to look for abandoned objects in any case, which reads every manifest. */
  readonly isThorough?: boolean;
}

const sweepEvery = 64;
/** Of the number of a backup, at the end of its name. */
const numberDigits = 9;

/** Makes one backup and removes those that are too old. */
export async function pushAndPrune(
  source: LoopSource,
  { target, before, save, signal, retention, report, isThorough }: PushSetting,
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
      const sweeps = isThorough || Number(made.last?.name.slice(-numberDigits)) % sweepEvery === 0;
      await prune({ target: opened, signal }, source.loopId, { retention, report, sweeps });
    }
    return made;
  } finally {
    opened[Symbol.dispose]?.();
  }
}

/** Credentials need not permit removal: then old backups stay, and the new one counts all the same. */
async function prune(
  reading: Reading,
  loopId: string,
  { retention, report, sweeps }: Pick<PushSetting, 'retention' | 'report'> & { readonly sweeps: boolean },
): Promise<void> {
  try {
    await removeOldBackups(reading, loopId, { ...retention, nowMs: thisMachine.clock.nowMs() });
    if (sweeps) await sweepAbandoned(reading, loopId);
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    report(`Old backups were not removed: ${error.failure.message}`);
  }
}

/** A loop as its backup describes it. */
export function sourceOf(
  { loopId, folder }: { readonly loopId: string; readonly folder: string },
  { journal: { seq, epoch }, position, status }: Loop,
): LoopSource {
  const isOver = isTerminal(status);
  const isExposed = vault.loopAt({ files: nodeFiles, loopId, folder })?.findExposed();
  return { files: nodeFiles, loopId, folder, isExposed, epoch, seq, iteration: position.finished, status, isOver };
}
