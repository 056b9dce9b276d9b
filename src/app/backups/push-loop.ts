import type { LastBackup, Progress } from '../../backup/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { nodeCareFiles } from '../../files/index.ts';
import { holdUnowned, sqliteLock } from '../../store/index.ts';
import { createAttemptSealer } from '../adapters/seal-attempts.ts';
import { timestamp } from '../machine.ts';
import { createProblems } from '../problems.ts';
import { findLoop } from '../read-loops.ts';
import { type LoopPlace, openStore } from '../stores.ts';
import type { TrustPlace } from '../trust/consent.ts';
import { assertLoopTrusted } from '../trust/loop-lines.ts';
import { pushAndPrune, sourceOf } from './loop-backups.ts';
import { readProgress, writeProgress } from './records.ts';
import { targetsOf } from './targets.ts';

/** What became of the backup to one target. */
export interface PushedTarget {
  readonly target: string;
  readonly last?: LastBackup | undefined;
  /** Why there is no newer backup. */
  readonly why?: string;
}

/** The backups of one loop. */
export interface PushReport {
  readonly loopId: string;
  readonly targets: readonly PushedTarget[];
  /** Problems that kept no backup from being made. */
  readonly notes: readonly string[];
}

/** Backs up a loop that no process runs to all of its targets, continuing where an earlier process stopped. */
export async function pushLoop(
  place: LoopPlace,
  query: string | undefined,
  { env, signal, consent }: TrustPlace & { readonly signal: AbortSignal },
): Promise<PushReport> {
  const { loop, folder } = findLoop(place, query, { orNewest: true });
  await assertLoopTrusted(loop, place, { env, consent });
  const { id: loopId, config, origin } = loop;
  if (config.backup.targets.length === 0) throw new LoopError(failures.noBackupTargets());
  const stored = openStore(place).place(loopId);
  using _held = holdUnowned({ ...stored, files: nodeCareFiles }, sqliteLock);
  const targets: PushedTarget[] = [];
  const notes: string[] = [];
  const problems = createProblems([]);
  // What an owner that died left in clear text would be left out.
  createAttemptSealer(stored, problems).seal(loop);
  for (const target of targetsOf(config, { workingDirectory: origin.workingDirectory, env })) {
    const { name } = target;
    const before = readProgress(folder)[name];
    const save = (next: Progress) => writeProgress(folder, { ...readProgress(folder), [name]: next });
    try {
      const source = sourceOf({ loopId, folder }, loop);
      const { last } = await pushAndPrune(source, {
        target,
        before,
        save,
        signal,
        retention: config.backup,
        report: (message) => void notes.push(message),
        isThorough: true,
      });
      targets.push({ target: name, last });
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      const why = error.failure.message;
      const known = readProgress(folder)[name] ?? { place: target.place, levels: [], iterations: 0 };
      save({ ...known, problem: { at: timestamp(), why, hasDiverged: error.failure.code === 'BACKUP_DIVERGED' } });
      targets.push({ target: name, last: before?.last, why });
    }
  }
  return { loopId, targets, notes: [...problems.messages, ...notes] };
}
