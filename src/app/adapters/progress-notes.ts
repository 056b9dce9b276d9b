import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import type { ProgressNotes } from '../../core/index.ts';
import { lookSafely, nodeFiles, readEnd } from '../../files/index.ts';

/** Where the notes are, and how they are shown. */
export interface NotesSetting {
  /** The folder of the state of all loops. */
  readonly root: string;
  readonly workingDirectory: string;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  /** Receives why the notes cannot be used, each reason once. */
  readonly report: (problem: string) => void;
}

/** More than is quoted, so that a secret at the cut is redacted as a whole. */
const maxBytes = 64 * 1024;

/** Reads `progress.md` in the state folder before each run. What is no plain text file is never used and stops nothing. */
export function createNotesReader({ root, workingDirectory, redact, report }: NotesSetting) {
  const file = path.join(root, 'progress.md');
  const reported = new Set<string>();
  const refuse = (problem: string) => {
    if (!reported.has(problem)) report(`The progress notes are not used: ${problem}`);
    reported.add(problem);
  };
  return (): ProgressNotes | undefined => {
    try {
      if (lookSafely(nodeFiles, root, 'folder') === undefined) return undefined;
      const text = readEnd(nodeFiles, file, maxBytes).toString();
      if (text.includes('\0')) {
        refuse(`${file} is not a text file.`);
        return undefined;
      }
      return text.trim() === '' ? undefined : { path: nameFrom(workingDirectory, file), text: redact(text) };
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      refuse(error.failure.message);
      return undefined;
    }
  };
}

function nameFrom(folder: string, file: string): string {
  const relative = path.relative(folder, file);
  return relative.startsWith('..') ? file : relative;
}
