import { failures, LoopError } from '../../base/index.ts';
import { isTerminal, type Loop } from '../../core/index.ts';
import { toStateDocument } from '../../formats/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import type { CommandBus, Lease, OwnedLoop, StoreTrouble } from '../../runner/index.ts';
import type { OpenLoop, RootedPlace } from '../../store/index.ts';
import type { Machine } from '../machine.ts';
import { createProblems, type Problems } from '../problems.ts';
import { findScarce, type RequiredSpace, scarceMessage } from './disk-space.ts';
import { createAttemptFiles, type FileAttemptFiles } from './file-attempt-files.ts';
import { foldState } from './fold-state.ts';
import { createLateSaver, workingAttempt } from './late-saver.ts';
import type { Registry } from './registry-port.ts';
import { createAttemptSealer } from './seal-attempts.ts';
import { createViews, type Views } from './views.ts';

/** A loop in a folder that this process owns, with its views and the files of its attempts. */
export interface FileLoop extends OwnedLoop {
  readonly folder: string;
  readonly place: RootedPlace;
  readonly files: FileAttemptFiles;
  /** Problems repaired in the state on disk, and later ones that did not stop the loop. */
  readonly problems: Problems;
  /** Updates the views. */
  observe(facts: readonly RecordedFact[], loop: Loop): void;
  /** Encrypts the files of attempts that are over, if the loop is encrypted. */
  sealAttempts(loop: Loop): void;
  /** Replaces a file in the loop's folder that the loop can do without. */
  keepFile(name: string, text: string): void;
  /** From now on, less free space than this in one of these folders is trouble; a function that checks it at once. */
  requireSpace(space: RequiredSpace): () => void;
  /** How commands reach it, if not through its folder. */
  readonly commands?: CommandBus;
  /** Until when its agents may run, if another machine may take the loop over. */
  readonly permitFile?: string;
  /** Records that the loop is alive and checks whether it has a new owner. */
  heartbeat(): void;
}

/** Where the loop is listed, and the machine that runs it. */
export interface FileLoopSetting {
  readonly registry: Registry;
  readonly machine: Machine;
  /** The current loop; by default read from the recovered state. */
  readonly loop?: Loop | undefined;
}

/** An open folder as an owned loop. Each call does its work before it returns a promise. */
export function createFileLoop(open: OpenLoop, { registry, machine, loop: known }: FileLoopSetting): FileLoop {
  const { loopId, folder, recovered } = open;
  const isNew = recovered.snapshot === undefined && recovered.entries.length === 0;
  const loop = known ?? (isNew ? undefined : foldState({ loopId, ...recovered }));
  const problems = createProblems(recovered.problems.map(({ message }) => message));
  const files = createAttemptFiles(open);
  const views = createViews({ open, files, before: loop, problems, registry, clock: machine.clock });
  const owner = machine.self();
  const watch = watchOver(open);
  const attempts = createAttemptSealer(open.place, problems);
  let isOver = false;
  let latest = loop;

  const save = (now: Loop) =>
    watch.over(() => {
      views.checkpoint();
      open.writeSnapshot(toStateDocument(now, detailsOf(now, owner, views)), now.config.persistence);
      views.saved(now);
      attempts.seal(now);
      const attempt = workingAttempt(now);
      if (attempt) problems.attempt('The prompt could not be synced to disk', () => files.settlePrompt(attempt));
    });
  const saver = createLateSaver(save, machine.clock);

  const close = async () => {
    // A loop with another owner is not ours to write, and the next owner rebuilds what is missing.
    if (!watch.lost.aborted) problems.attempt('The state could not be saved', saver.finish);
    watch.end();
    if (latest) attempts.seal(latest);
    files[Symbol.dispose]();
    if (isOver) open.forget();
    open.close();
  };
  const lease: Lease = {
    get epoch() {
      return open.epoch;
    },
    owner,
    lost: watch.lost,
    release: close,
  };
  return {
    loopId,
    folder,
    place: open.place,
    files,
    problems,
    lease,
    recovered: { ...(loop && { loop }), problems: recovered.problems },
    append: async (facts) => {
      saver.outdate();
      return watch.over(() => open.append(facts) as readonly RecordedFact[]);
    },
    save: async (now) => saver.save(now),
    onTrouble: watch.onTrouble,
    requireSpace: watch.requireSpace,
    sealAttempts: attempts.seal,
    keepFile: (name, text) => open.writeView([name], Buffer.from(text)),
    observe(facts, now) {
      isOver = isTerminal(now.status);
      latest = now;
      saver.update(now);
      views.note(facts, now);
    },
    heartbeat() {
      try {
        watch.over(() => open.verify());
        views.heartbeat();
      } catch (error) {
        if (!(error instanceof LoopError)) throw error;
        problems.report(error.failure.message);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function detailsOf(loop: Loop, { pid }: { readonly pid: number }, { lastCheckpoint }: Pick<Views, 'lastCheckpoint'>) {
  return {
    // A paused or ended loop has no process to look for.
    ...(isDriven(loop) ? { pid } : {}),
    ...(lastCheckpoint === undefined ? {} : { lastCheckpoint }),
  };
}

/** Checks with every step whether an open loop got another owner, the disk is full, or the loop was closed. */
function watchOver(open: OpenLoop) {
  let required: RequiredSpace | undefined;
  const lost = new AbortController();
  const listeners = new Set<(trouble: StoreTrouble | undefined) => void>();
  let trouble: StoreTrouble | undefined;
  let isClosed = false;
  const checkForTrouble = () => {
    const now = open.isDiskFull ? diskFull(open.folder) : required && diskLow(required);
    if (now?.code === trouble?.code) return;
    trouble = now;
    for (const listener of listeners) listener(trouble);
  };
  return {
    lost: lost.signal,
    over<Result>(step: () => Result): Result {
      lost.signal.throwIfAborted();
      if (isClosed) throw new LoopError(failures.invalidState('closed', 'write to'));
      try {
        return step();
      } catch (error) {
        if (error instanceof LoopError && error.failure.code === 'OWNERSHIP_LOST') lost.abort(error);
        throw error;
      } finally {
        checkForTrouble();
      }
    },
    onTrouble(listener: (trouble: StoreTrouble | undefined) => void): Disposable {
      listeners.add(listener);
      if (trouble !== undefined) listener(trouble);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    requireSpace(space: RequiredSpace): () => void {
      required = space;
      return () => (isClosed ? undefined : checkForTrouble());
    },
    end() {
      isClosed = true;
      listeners.clear();
    },
  };
}

// The message is stored and shown in every face, so it names no command.
function diskFull(folder: string): StoreTrouble {
  const { message } = failures.diskFull(folder);
  return { code: 'DISK_FULL', message: `${message} Free some space, then resume the loop.` };
}

function diskLow(space: RequiredSpace): StoreTrouble | undefined {
  const scarce = findScarce(space);
  return scarce && { code: 'DISK_LOW', message: `${scarceMessage(scarce)} Free some space, then resume the loop.` };
}

function isDriven({ status, pending }: Loop): boolean {
  return (status === 'running' || status === 'completing') && pending.wakeAt === undefined;
}
