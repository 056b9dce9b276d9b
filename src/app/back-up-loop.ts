import { fromStateDocument } from '../formats/index.ts';
import type { PersistenceConfig } from '../protocol/index.ts';
import { backUp, parseState, verifiedState } from '../store/index.ts';
import { thisMachine } from './machine.ts';
import { findLoopId } from './read-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The result of a backup, or what it would be. */
export interface BackupReport {
  readonly loopId: string;
  readonly dryRun: boolean;
  /** Missing if nothing was written. */
  readonly file?: string;
  readonly bytes: number;
  /** Older backups that were removed. */
  readonly removed: readonly string[];
}

/** Copies a loop's state, even while the loop runs. */
export function backUpLoop(
  place: LoopPlace,
  query: string | undefined,
  { dryRun, fallback }: { readonly dryRun: boolean; readonly fallback: PersistenceConfig },
): BackupReport {
  const loopId = findLoopId(place, query);
  const folder = openStore(place).place(loopId);
  const content = verifiedState(folder);
  if (dryRun) return { loopId, dryRun, bytes: content.byteLength, removed: [] };
  // The loop's own settings; the current ones only if those cannot be read.
  const { compress, maxBackups } = fromStateDocument(parseState(content))?.config.persistence ?? fallback;
  return { loopId, dryRun, ...backUp(folder, { compress, maxBackups, now: new Date(thisMachine.clock.nowMs()) }) };
}
