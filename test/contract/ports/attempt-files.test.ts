import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAttemptFiles } from '../../../src/app/adapters/file-attempt-files.ts';
import { openStore } from '../../../src/app/stores.ts';
import type { AttemptFiles } from '../../../src/runner/index.ts';
import { createMemoryAttemptFiles } from '../../../src/runner/testing/memory-attempt-files.ts';
import { attemptFilesPromises } from './attempt-files.ts';
import { loopId } from './facts.ts';

function createFolderFiles(): AttemptFiles {
  const root = mkdtempSync(path.join(tmpdir(), 'ralphd-attempts-'));
  const folders = openStore({ root });
  folders.prepare();
  const open = folders.create(loopId);
  onTestFinished(() => {
    open.close();
    rmSync(root, { recursive: true, force: true });
  });
  return createAttemptFiles(open);
}

const adapters = { memory: createMemoryAttemptFiles, folders: createFolderFiles };

describe.each(Object.entries(adapters))('%s as files of attempts', (_name, createFiles) => {
  test.each(Object.entries(attemptFilesPromises))('%s', async (_title, check) => {
    await expect(check(createFiles())).resolves.toBeUndefined();
  });
});

test('the promises notice it when all attempts at an iteration share their files', async () => {
  const files = createMemoryAttemptFiles();
  const firstOf = ({ iteration }: { readonly iteration: number }) => ({ iteration, attempt: 1 });
  const shared: AttemptFiles = {
    folderOf: (key) => files.folderOf(firstOf(key)),
    keepPrompt: async (key, prompt) => await files.keepPrompt(firstOf(key), prompt),
    readPrompt: async (key) => await files.readPrompt(firstOf(key)),
  };
  const [, ownPrompts, ownFolders] = Object.values(attemptFilesPromises);
  await expect(ownPrompts?.(shared)).rejects.toBeInstanceOf(Error);
  await expect(ownFolders?.(shared)).rejects.toBeInstanceOf(Error);
});
