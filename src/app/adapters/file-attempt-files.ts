import path from 'node:path';
import type { IterationRecord } from '../../core/index.ts';
import { look, nodeFiles, placeFile, placeNewFile, readEnd, settleFile } from '../../files/index.ts';
import type { Provenance } from '../../protocol/index.ts';
import type { AttemptFiles, AttemptKey } from '../../runner/index.ts';
import type { OpenLoop } from '../../store/index.ts';
import { type BaselineFile, createRunFile, createStartFile } from './baseline-file.ts';

/** How much of a prompt is read back; all of it stays on disk. */
const promptBytes = 256 * 1024;

/** The files of a loop's attempts, in the loop's own folder. */
export interface FileAttemptFiles extends AttemptFiles, Disposable {
  /** Syncs an attempt's folder and the prompt in it, because it is evidence. */
  settlePrompt(key: AttemptKey): void;
  /** Store a state of the work tree beyond this process: before the newest run, and at the start. */
  readonly baselines: { readonly run: BaselineFile; readonly start: BaselineFile };
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
  let prepared: { readonly key: AttemptKey; readonly folder: string } | undefined;
  const keepPrompt = (key: AttemptKey, prompt: string) => {
    const folder = folderOf(key);
    placeNewFile(nodeFiles, promptIn(folder), Buffer.from(prompt));
    prepared = { key, folder };
  };
  /** What was made a moment ago need not be looked for, once. */
  const preparedFolder = ({ iteration, attempt }: AttemptKey) => {
    const found = prepared;
    prepared = undefined;
    return found?.key.iteration === iteration && found.key.attempt === attempt ? found.folder : undefined;
  };
  const baselines = { run: createRunFile(open.place), start: createStartFile(open.place) };
  return {
    folderOf: (key) => preparedFolder(key) ?? folderOf(key),
    keepPrompt: async (key, prompt) => keepPrompt(key, prompt),
    readPrompt: async (key) => readEnd(open.place.files, promptIn(folderOf(key)), promptBytes).toString(),
    settlePrompt(key) {
      const folder = folderOf(key);
      // An agent may delete it.
      if (look(nodeFiles, promptIn(folder)) === undefined) return;
      settleFile(nodeFiles, promptIn(folder));
      open.settleFolder(folder);
    },
    baselines,
    keepRecord(record, execution) {
      const folder = folderOf({ iteration: record.number, attempt: record.attempt });
      const files = { prompt: 'prompt', stdout: 'stdout', stderr: 'stderr' };
      const text = `${JSON.stringify({ ...record, ...(execution && { execution }), files }, undefined, 2)}\n`;
      placeFile(open.place.files, path.join(folder, 'result.json'), Buffer.from(text));
    },
    [Symbol.dispose]: () => baselines.run[Symbol.dispose](),
  };
}
