import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { LoopError as RalphdError } from '../../base/index.ts';
import { LoopError } from '../errors.ts';
import type { LogEntry } from '../log.ts';
import { type PersistedLoopState, StatePersistenceConfig } from '../persisted-state.ts';
import { StateManager, type StateManagerOptions } from '../state-persistence.ts';

/** A folder of its own for the running test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-tachikoma-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder with the document of a loop, and managers for it. */
export interface Kept {
  readonly config: StatePersistenceConfig;
  readonly log: LogEntry[];
  readonly manager: (more?: Partial<StatePersistenceConfig>, options?: StateManagerOptions) => StateManager;
  readonly stored: () => PersistedLoopState;
}

/** Such a folder for the running test. */
export function kept(): Kept {
  const folder = temporaryFolder();
  const config = {
    ...StatePersistenceConfig.default(),
    statePath: path.join(folder, 'deep/state.json'),
    backupDir: path.join(folder, 'backups'),
  };
  const log: LogEntry[] = [];
  return {
    config,
    log,
    manager: (more = {}, options = {}) =>
      new StateManager({ ...config, ...more }, { log: (entry) => void log.push(entry), ...options }),
    stored: () => JSON.parse(readFileSync(config.statePath, 'utf8')) as PersistedLoopState,
  };
}

/** The error of the loop runner that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<LoopError> {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(LoopError);
  expect(error).toBeInstanceOf(RalphdError);
  return error as LoopError;
}
