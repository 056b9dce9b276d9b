import { dirname } from 'node:path';
import {
  type DocumentBackups,
  type DocumentDisk,
  type DocumentFile,
  type DocumentPlace,
  encryptDocument,
  encryptedDisk,
  isSealedText,
  openDocumentBackups,
  openDocumentFile,
  plainDisk,
} from '../app/index.ts';
import { failures, LoopError as RalphdError, sha256 } from '../base/index.ts';
import { readTachikomaDocument } from '../formats/index.ts';
import { millisecondsOf } from './durations.ts';
import { inTheirWords, LoopError } from './errors.ts';
import { type Logger, type LogLine, logFor } from './log.ts';
import { keysOf } from './own-context.ts';
import {
  initialState,
  type LoopStatus,
  type PersistedLoopState,
  STATE_VERSION,
  type StatePersistenceConfig,
} from './persisted-state.ts';
import { withProgress, withSession, withTests } from './state-updates.ts';

/** What a `StateManager` can be given besides its configuration. */
export interface StateManagerOptions {
  /** Receives what the manager does, with the loop's id. */
  readonly log?: Logger;
  /** The current time; default: the clock of the machine. */
  readonly now?: () => Date;
  /** Where the key of an encrypted document is looked for; default: the environment of the program. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A running auto-save. */
export interface AutoSave extends Disposable {
  /** Stops it and saves what is not saved yet. */
  stop(): Promise<void>;
}

/**
 * Keeps the state of a loop in a document on disk. Every write is complete or does not happen, and is durable when its
 * promise resolves.
 *
 * A change of the status or the iteration is saved at once, not with the next auto-save, so that a crash loses no
 * transition. A document that is damaged, of a newer version or of another loop is never overwritten: a damaged one is
 * restored from the newest backup of the loop and kept under another name; in every other case the call is refused and
 * the file stays as it is, until `quarantine` moves it away.
 */
export class StateManager {
  readonly #config: StatePersistenceConfig;
  readonly #place: DocumentPlace;
  #disk: DocumentDisk = plainDisk;
  #file: DocumentFile;
  #backups: DocumentBackups;
  readonly #now: () => Date;
  readonly #log: LogLine;
  #state: PersistedLoopState | undefined;
  #dirty = false;
  #loopId = '';

  /**
   * @param config where and how the state is kept.
   * @param options a log, and a clock.
   */
  constructor(config: StatePersistenceConfig, options: StateManagerOptions = {}) {
    this.#config = { ...config };
    const { statePath, backupDir, keyFile } = config;
    this.#place = { statePath, backupDir, keyFile, keys: keysOf(options.env) };
    this.#file = openDocumentFile(config.statePath);
    this.#backups = openDocumentBackups(config.backupDir);
    this.#now = options.now ?? (() => new Date());
    this.#log = logFor(() => this.#loopId, options.log);
  }

  /**
   * Loads the state of a loop, or creates it and saves it at once.
   *
   * @returns the state that was found; undefined if it is new or persistence is disabled.
   */
  async initialize(loopId: string): Promise<PersistedLoopState | undefined> {
    if (!this.#config.enabled) return undefined;
    return structuredClone(this.#open(loopId));
  }

  /** Loads the state of the loop again, without the changes that were not saved; undefined if there is none. */
  async load(): Promise<PersistedLoopState | undefined> {
    if (!this.#config.enabled) return undefined;
    return this.#step(() => {
      const found = this.#find();
      if (found === 'missing') return undefined;
      this.#state = found;
      this.#dirty = false;
      return structuredClone(found);
    });
  }

  /** Saves the state. */
  async save(): Promise<void> {
    if (!this.#config.enabled || this.#state === undefined) return;
    this.#step(() => this.#write());
  }

  /**
   * Copies the document into the folder of the backups and removes the oldest ones beyond `maxBackups`. Two backups in one
   * second get two names.
   *
   * @returns the path of the backup.
   */
  async backup(): Promise<string> {
    return this.#step(() => {
      this.#openDisk();
      const text = this.#config.enabled ? this.#file.read() : undefined;
      if (text === undefined) throw new RalphdError(failures.noStateToBackup(this.#loopId, this.#file.path));
      const reading = readTachikomaDocument(text, this.#file.path);
      if (!reading.ok) throw new RalphdError(failures.backupFailed(this.#file.path, reading.failure.message));
      const { compress, maxBackups } = this.#config;
      const made = this.#backups.add(text, { now: this.#now(), compress, maxBackups });
      this.#log('info', `Created the backup ${made}.`);
      return made;
    });
  }

  /**
   * Changes the state. The modifier gets a copy: if it throws, or leaves something that is no valid state, nothing changes.
   * Without a state, nothing happens.
   */
  async update(modifier: (state: PersistedLoopState) => void): Promise<void> {
    this.#apply(modifier);
  }

  /**
   * Puts a complete state in the place of the current one, for a loop that knows its own state, and saves it at once. Values
   * of the program in `custom` stay.
   */
  async replace(state: PersistedLoopState): Promise<void> {
    if (!this.#config.enabled) return;
    // In one step: of two calls, the later one wins.
    if (this.#state?.loop_id !== state.loop_id) this.#open(state.loop_id);
    this.#apply((draft) => {
      Object.assign(draft, structuredClone(state), { custom: { ...draft.custom, ...state.custom } });
    });
    if (this.#dirty) this.#step(() => this.#write());
  }

  /** Sets the status and the iteration; saved at once if one of them changes. */
  async updateCore(status: LoopStatus, iteration: number): Promise<void> {
    await this.update(({ core }) => {
      core.status = status;
      core.iteration = iteration;
      core.last_activity = this.#instant();
    });
  }

  /**
   * Notes an iteration of a session. When the id changes, the session before it moves to the history.
   *
   * @param sessionId the session; undefined if there is none any more.
   * @param contextUsage how full its context is, from 0 to 100.
   * @param endReason why the session before it ended.
   */
  async updateSession(sessionId: string | undefined, contextUsage: number, endReason = 'reboot'): Promise<void> {
    await this.update((state) => {
      state.session = withSession(state.session, { sessionId, contextUsage, endReason, now: this.#instant() });
    });
  }

  /** Notes whether an iteration made progress, and its score; the newest 20 scores are kept. */
  async updateProgress(madeProgress: boolean, score: number): Promise<void> {
    await this.update((state) => {
      state.progress = withProgress(state, madeProgress, score);
    });
  }

  /** Notes a run of the tests: replaces the lists, and finds which tests got fixed and which are flaky. */
  async updateTests(failureStreak: number, passing: readonly string[], failing: readonly string[]): Promise<void> {
    await this.update((state) => {
      Object.assign(state, withTests(state, { failureStreak, passing, failing }));
    });
  }

  /** Notes how close each stop condition is, from 0 to 1, and what the evaluation said. */
  async updateStopConditions(progress: Readonly<Record<string, number>>, lastEvaluation?: string): Promise<void> {
    await this.update((state) => {
      state.stop_conditions = { condition_progress: { ...progress }, last_evaluation: lastEvaluation ?? null };
    });
  }

  /**
   * Notes the configuration of the loop.
   *
   * @returns whether it differs from the one that was noted before.
   */
  async updateConfig(config: unknown): Promise<boolean> {
    const hash = sha256(JSON.stringify(config) ?? '');
    const before = this.#state?.core.config_hash ?? '';
    await this.update(({ core }) => {
      core.config_hash = hash;
    });
    return before !== '' && before !== hash;
  }

  /** A copy of the current state; undefined before `initialize` and after `clear`. */
  getState(): PersistedLoopState | undefined {
    return structuredClone(this.#state);
  }

  /** Whether there are changes that are not saved. */
  isDirty(): boolean {
    return this.#dirty;
  }

  /** Removes the state from memory and from disk, with its backups. */
  async clear(): Promise<void> {
    if (!this.#config.enabled) return;
    this.#step(() => {
      this.#openDisk();
      this.#assertReplaceable();
      this.#backups.clear();
      this.#file.remove();
      this.#disk.forget();
      this.#use(plainDisk);
    });
    this.#state = undefined;
    this.#dirty = false;
  }

  /**
   * Moves a document that cannot be used to another name, so that the next `initialize` starts afresh.
   *
   * @returns its new path.
   */
  async quarantine(): Promise<string> {
    return this.#step(() => {
      const aside = this.#file.setAside(this.#now());
      this.#log('warn', `Moved the document to ${aside}.`);
      return aside;
    });
  }

  /** Saves in intervals what is not saved yet; a failure is logged and tried again. Keeps no program running. */
  startAutoSave(): AutoSave {
    const saveIfDirty = async () => {
      if (!this.#dirty) return;
      try {
        await this.save();
      } catch (error) {
        this.#log('error', `The auto-save failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    const interval = Math.max(1, millisecondsOf(this.#config.autoSaveInterval, 'autoSaveInterval'));
    const timer = setInterval(() => void saveIfDirty(), interval);
    timer.unref();
    return {
      stop: async () => {
        clearInterval(timer);
        await saveIfDirty();
      },
      [Symbol.dispose]: () => clearInterval(timer),
    };
  }

  /** The state that was found; undefined if it is new. */
  #open(loopId: string): PersistedLoopState | undefined {
    this.#loopId = loopId;
    return this.#step(() => {
      const found = this.#find();
      if (this.#config.encrypt && !this.#disk.isEncrypted) {
        this.#use(encryptDocument(this.#place, loopId, this.#instant()));
        this.#log('info', 'The state is encrypted from now on.');
      }
      if (found === 'missing') {
        this.#state = initialState(loopId, this.#instant(), process.cwd());
        this.#write();
        this.#log('debug', 'No state was found; a new one is saved.');
        return undefined;
      }
      this.#state = found;
      this.#dirty = false;
      this.#log('info', `Loaded the state of iteration ${found.core.iteration}.`);
      return found;
    });
  }

  /** What is stored, wherever it can be read. */
  #find(): PersistedLoopState | 'missing' {
    this.#openDisk();
    return this.#read() ?? this.#restore();
  }

  #openDisk(): void {
    if (!this.#disk.isEncrypted) this.#use(encryptedDisk(this.#place, this.#loopId) ?? plainDisk);
  }

  #use(disk: DocumentDisk): void {
    this.#disk = disk;
    this.#file = openDocumentFile(this.#config.statePath, disk.files);
    this.#backups = openDocumentBackups(this.#config.backupDir, disk.files);
  }

  #apply(modifier: (state: PersistedLoopState) => void): void {
    const before = this.#state;
    if (!this.#config.enabled || before === undefined) return;
    const draft = structuredClone(before);
    modifier(draft);
    this.#state = this.#checked(draft);
    this.#dirty = true;
    const { status, iteration } = this.#state.core;
    if (status === before.core.status && iteration === before.core.iteration) return;
    this.#step(() => this.#write());
  }

  /** The document on disk; undefined if it is damaged. Refuses one of a newer version or of another loop. */
  #read(): PersistedLoopState | 'missing' | undefined {
    const text = this.#file.read();
    if (text === undefined) return 'missing';
    const { path } = this.#file;
    if (isSealedText(text)) throw new RalphdError(failures.keyRecordDamaged(this.#loopId, dirname(path)));
    const reading = readTachikomaDocument(text, path);
    if (reading.ok) {
      const { loop_id: found } = reading.document;
      if (this.#loopId !== '' && found !== this.#loopId)
        throw new RalphdError(failures.documentOfOtherLoop(path, this.#loopId, found));
      return structuredClone(reading.document) as PersistedLoopState;
    }
    if (reading.newerVersion === undefined) return undefined;
    const details = { kind: 'StateVersionMismatch', expected: STATE_VERSION, found: reading.newerVersion } as const;
    throw new LoopError(reading.failure, details);
  }

  /** The newest usable backup of this loop, put in the place of the damaged document. */
  #restore(): PersistedLoopState {
    for (const backup of this.#backups.list()) {
      const text = this.#backups.read(backup);
      const reading = text === undefined ? undefined : readTachikomaDocument(text, backup);
      if (text === undefined || reading?.ok !== true || reading.document.loop_id !== this.#loopId) continue;
      const aside = this.#file.setAside(this.#now());
      this.#file.write(text, this.#config);
      this.#log('warn', `The state was damaged: it is restored from ${backup}; the damaged file is ${aside}.`);
      return structuredClone(reading.document) as PersistedLoopState;
    }
    const reading = readTachikomaDocument(this.#file.read() ?? '', this.#file.path);
    throw new RalphdError(reading.ok ? failures.stateUnreadable(this.#file.path, 'it changed') : reading.failure);
  }

  #write(): void {
    if (this.#state === undefined) return;
    this.#assertReplaceable();
    this.#state = { ...this.#state, saved_at: this.#instant() };
    this.#disk.keep();
    this.#file.write(`${JSON.stringify(this.#state, undefined, 2)}\n`, this.#config);
    this.#dirty = false;
  }

  /** Refuses to replace a document that cannot be read or is not of this loop. */
  #assertReplaceable(): void {
    if (this.#read() !== undefined) return;
    throw new RalphdError(failures.documentDamaged(this.#file.path, 'another program changed it'));
  }

  #checked(draft: PersistedLoopState): PersistedLoopState {
    const reading = readTachikomaDocument(JSON.stringify(draft), 'The changed state');
    if (!reading.ok || reading.document.loop_id !== this.#loopId) {
      const failure = reading.ok
        ? failures.documentOfOtherLoop('The changed state', this.#loopId, reading.document.loop_id)
        : reading.failure;
      throw new LoopError(failure, { kind: 'SerializationError', source: failure.message });
    }
    return structuredClone(reading.document) as PersistedLoopState;
  }

  #instant(): string {
    return this.#now().toISOString();
  }

  #step<Result>(step: () => Result): Result {
    try {
      return step();
    } catch (error) {
      throw inTheirWords(error, { path: this.#file.path });
    }
  }
}
