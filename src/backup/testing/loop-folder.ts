import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFiles } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import type { LoopSource } from '../push.ts';

/** The id of the loop that tests back up. */
export const loopId = 'ralph-back-me-up-0000abcd';

/** A folder with files like those of a loop, which a test lets grow. */
export interface LoopFolderOfTest {
  readonly folder: string;
  put(name: string, text: string): void;
  /** Appends facts to the journal. */
  append(text: string, segment?: string): void;
  /** Finishes an iteration: its files, the facts and the state. */
  iterate(): void;
  source(more?: Partial<LoopSource>): LoopSource;
}

/** Makes a loop of one fact. */
export function createLoopFolder(folder = temporaryFolder()): LoopFolderOfTest {
  let [iteration, seq] = [0, 0];
  const put = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const append = (text: string, segment = '0001-0001') => {
    mkdirSync(path.join(folder, 'journal'), { recursive: true });
    appendFileSync(path.join(folder, 'journal', `${segment}.jsonl`), `${text}\n`);
    seq += 1;
  };
  put('lock', '');
  put('owner.json', '{"host":"here"}');
  put('state.json', '{"iteration":0}');
  append('{"seq":1}');
  return {
    folder,
    put,
    append,
    iterate() {
      iteration += 1;
      const attempt = `iterations/${String(iteration).padStart(3, '0')}/attempt-1`;
      put(`${attempt}/prompt`, `prompt of ${iteration}`);
      put(`${attempt}/stdout`, `output of ${iteration}\n`.repeat(20));
      put(`${attempt}/stderr`, '');
      put(`checkpoints/iteration-${String(iteration).padStart(3, '0')}.json.gz`, `checkpoint ${iteration}`);
      append(`{"seq":${seq + 1},"iteration":${iteration}}`);
      put('state.json', `{"iteration":${iteration}}`);
    },
    source: (more = {}) => ({
      files: nodeFiles,
      loopId,
      folder,
      epoch: 1,
      seq,
      iteration,
      status: 'running',
      isOver: false,
      ...more,
    }),
  };
}
