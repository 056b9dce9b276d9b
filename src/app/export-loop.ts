import { toStateDocument, toTachikomaDocument } from '../formats/index.ts';
import { timestamp } from './machine.ts';
import { findLoop } from './read-loops.ts';
import type { LoopPlace } from './stores.ts';

/** The documents of other systems that a loop can be written as. */
export const exportFormats = ['aiwg-v2', 'tachikoma'] as const;
/** A document of another system. */
export type ExportFormat = (typeof exportFormats)[number];

/** Whether a word names a document of another system. */
export function isExportFormat(word: string): word is ExportFormat {
  return exportFormats.some((format) => format === word);
}

/** A loop as another system would keep it. What only ralphd understands is left out. */
export function exportLoop(place: LoopPlace, query: string | undefined, format: ExportFormat): object {
  const { loop } = findLoop(place, query, { orNewest: true });
  switch (format) {
    case 'aiwg-v2': {
      const { ralphd: _ours, ...document } = toStateDocument(loop);
      return document;
    }
    case 'tachikoma':
      return toTachikomaDocument(loop, timestamp());
  }
}
