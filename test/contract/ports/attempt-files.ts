import { expect } from 'vitest';
import type { AttemptFiles } from '../../../src/runner/index.ts';

const first = { iteration: 1, attempt: 1 };
const again = { iteration: 1, attempt: 2 };
const second = { iteration: 2, attempt: 1 };

/** The guarantees of every store for attempt files. */
export const attemptFilesPromises: Readonly<Record<string, (files: AttemptFiles) => Promise<void>>> = {
  'a prompt is read back as it was kept, and there is none before': async (files) => {
    expect(await files.readPrompt(first)).toBe('');
    await files.keepPrompt(first, 'Fix it.\nMind the "gäp".');
    expect(await files.readPrompt(first)).toBe('Fix it.\nMind the "gäp".');
  },
  'each attempt has a prompt of its own, and the newest counts': async (files) => {
    for (const key of [first, again, second]) await files.keepPrompt(key, `${key.iteration}.${key.attempt}`);
    await files.keepPrompt(again, 'other');
    const prompts = [first, again, second].map(async (key) => await files.readPrompt(key));
    expect(await Promise.all(prompts)).toEqual(['1.1', 'other', '2.1']);
  },
  'each attempt has a folder of its own, always the same': async (files) => {
    const folders = [first, again, second].map((key) => files.folderOf(key));
    expect(new Set(folders).size).toBe(3);
    expect([first, again, second].map((key) => files.folderOf(key))).toEqual(folders);
  },
};
