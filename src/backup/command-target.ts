import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { describeEnding } from '../core/index.ts';
import { createTemporaryFolder, createWholeFile, makeFoldersBelow } from '../files/index.ts';
import { type Command, runCapture } from '../process/index.ts';
import type { BackupTarget } from './target.ts';

/** The user's command that stores backups, and where it runs. */
export interface CommandSettings {
  readonly name: string;
  readonly run: Command;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const graceMs = 1_000;
const maxOutputBytes = 64 * 1024;

/**
 * A command that copies the new objects of a backup elsewhere. They are in a temporary folder, and their list comes as one JSON
 * object on stdin; exit code 0 means that all of them are stored. What it stored cannot be read back through it.
 */
export function createCommandTarget({ name, run, cwd, env }: CommandSettings): BackupTarget & Disposable {
  const staged = createTemporaryFolder('backup');
  let files: { readonly name: string; readonly path: string; readonly bytes: number }[] = [];
  return {
    where: `command "${name}"`,
    async create(object, bytes) {
      await makeFoldersBelow(staged.root, object.split('/').slice(0, -1));
      const place = path.join(staged.root, object);
      const isNew = await createWholeFile(place, [bytes]);
      if (isNew) files.push({ name: object, path: place, bytes: bytes.byteLength });
      return isNew;
    },
    read: async () => undefined,
    list: async () => [],
    folders: async () => [],
    remove: async () => {},
    async commit(signal) {
      const input = `${JSON.stringify({ version: 1, folder: staged.root, files })}\n`;
      files = [];
      const { ending } = await runCapture({ command: run, cwd, env, input, graceMs, maxOutputBytes, signal });
      if (ending.kind === 'exited' && ending.code === 0) return;
      const why = ending.kind === 'stopped' ? 'it did not finish in time' : `it ${describeEnding(ending)}`;
      throw new LoopError(failures.backupTargetFailed(name, why));
    },
    [Symbol.dispose]: () => staged[Symbol.dispose](),
  };
}
