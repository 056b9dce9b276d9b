import { toStateDocument, toTachikomaDocument } from '../formats/index.ts';
import { timestamp } from './machine.ts';
import { findLoop } from './read-loops.ts';
import type { LoopPlace } from './stores.ts';

/** The formats of other systems that a loop can be exported to. */
export const exportFormats = ['aiwg-v2', 'tachikoma'] as const;
/** A format of another system. */
export type ExportFormat = (typeof exportFormats)[number];

/** Whether a word is the name of an export format. */
export function isExportFormat(word: string): word is ExportFormat {
  return exportFormats.some((format) => format === word);
}

/** A loop in another system's format, without what only ralphd understands. */
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
