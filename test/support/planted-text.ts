import path from 'node:path';
import { inject } from 'vitest';
import { type Planting, plantIn } from './plant-in.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The bug that the audit plants, for tests that read sources as text; its file is relative to `src`. */
    planted?: Planting | null;
  }
}

const sources = path.resolve(import.meta.dirname, '../../src');

/** The text of a source file, including the bug that the audit plants in it. */
export function withPlantedBug(file: string, text: string | undefined): string | undefined {
  const bug = inject('planted') ?? undefined;
  if (bug === undefined || text === undefined || path.resolve(file) !== path.join(sources, bug.file)) return text;
  return plantIn(text, bug);
}
