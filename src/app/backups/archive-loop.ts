import path from 'node:path';
import { writeArchive } from '../../backup/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { createWholeFile, errorCode, kindAt, nodeFiles } from '../../files/index.ts';
import { backupStamp } from '../../store/index.ts';
import { vault } from '../keys.ts';
import { thisMachine } from '../machine.ts';
import { findLoopId } from '../read-loops.ts';
import { type LoopPlace, openStore } from '../stores.ts';
import { type KeyFiles, sealingFrom } from './keys.ts';

/** An archive that was written. */
export interface ArchiveReport {
  readonly loopId: string;
  readonly file: string;
  readonly bytes: number;
  readonly isEncrypted: boolean;
  /** Whether the files of the loop are encrypted with its own key, all but those named. */
  readonly isLoopEncrypted: boolean;
  readonly clear: readonly string[];
}

/** Writes the whole folder of a loop into one new file, even while the loop runs. */
export async function archiveLoop(
  place: LoopPlace,
  query: string | undefined,
  { to, ...keys }: KeyFiles & { readonly to: string },
): Promise<ArchiveReport> {
  const loopId = findLoopId(place, query);
  const { folder } = openStore(place).place(loopId);
  const locked = vault.loopAt({ files: nodeFiles, loopId, folder });
  const isExposed = locked?.findExposed();
  const sealing = sealingFrom(keys);
  const nowMs = thisMachine.clock.nowMs();
  const given = path.resolve(keys.cwd, to);
  const isFolder = (await kindAt(given)) === 'folder';
  const name = `${loopId}_${backupStamp(new Date(nowMs))}.tar${sealing === undefined ? '' : '.age'}`;
  const file = isFolder ? path.join(given, name) : given;
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of await writeArchive({ files: nodeFiles, loopId, folder, isExposed, nowMs, sealing })) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  if (!(await create(file, counted()))) throw new LoopError(failures.backupTaken(file));
  const { complete = false, clear = [] } = locked?.describe() ?? {};
  return { loopId, file, bytes, isEncrypted: sealing !== undefined, isLoopEncrypted: complete, clear };
}

async function create(file: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  try {
    return await createWholeFile(file, chunks);
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof LoopError || code === undefined) throw error;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new LoopError(failures.diskFull(file), { cause: error });
    throw new LoopError(failures.stateWriteFailed(file, code), { cause: error });
  }
}
