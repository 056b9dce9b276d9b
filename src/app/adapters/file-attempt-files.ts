import path from 'node:path';
import type { IterationRecord } from '../../core/index.ts';
import { look, nodeFiles, placeFile, readEnd, settleFile } from '../../files/index.ts';
import type { Provenance } from '../../protocol/index.ts';
import type { AttemptFiles, AttemptKey } from '../../runner/index.ts';
import type { OpenLoop } from '../../store/index.ts';
import { type BaselineFile, createBaselineFile } from './baseline-file.ts';

/** How much of a prompt is read back; all of it stays on disk. */
const promptBytes = 256 * 1024;

/** The files of a loop's attempts, in the loop's own folder. */
export interface FileAttemptFiles extends AttemptFiles {
  /** Syncs an attempt's folder and the prompt in it, because it is evidence. */
  settlePrompt(key: AttemptKey): void;
  /** Stores a state of the work tree beyond this process: before the newest run, or at the start. */
  baseline(of: 'run' | 'start'): BaselineFile;
  /** Writes the record of an iteration next to its prompt and output. Like those it is not synced: the journal has it. */
  keepRecord(record: IterationRecord, provenance?: Provenance): void;
}

/** The path of an attempt's prompt. */
export function promptIn(folder: string): string {
  return path.join(folder, 'prompt');
}

/** The attempt files of an open loop. */
export function createAttemptFiles(open: OpenLoop): FileAttemptFiles {
  const folderOf = ({ iteration, attempt }: AttemptKey) => open.iterationFolder(iteration, attempt);
  return {
    folderOf,
    keepPrompt: async (key, prompt) => placeFile(nodeFiles, promptIn(folderOf(key)), Buffer.from(prompt)),
    readPrompt: async (key) => readEnd(open.place.files, promptIn(folderOf(key)), promptBytes).toString(),
    settlePrompt(key) {
      const folder = folderOf(key);
      // An agent may delete it.
      if (look(nodeFiles, promptIn(folder)) === undefined) return;
      settleFile(nodeFiles, promptIn(folder));
      open.settleFolder(folder);
    },
    baseline: (of) => createBaselineFile(open.place, of),
    keepRecord(record, execution) {
      const folder = folderOf({ iteration: record.number, attempt: record.attempt });
      const files = { prompt: 'prompt', stdout: 'stdout', stderr: 'stderr' };
      const text = `${JSON.stringify({ ...record, ...(execution && { execution }), files }, undefined, 2)}\n`;
      placeFile(open.place.files, path.join(folder, 'result.json'), Buffer.from(text));
    },
  };
}
