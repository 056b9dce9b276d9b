import { type Loop, replay } from '../core/index.ts';
import {
  carryOver,
  onlyAiwgState,
  toStateDocument,
  toTachikomaDocument,
  toUltraplanDocument,
} from '../formats/index.ts';
import type { ForeignSystem, RecordedFact } from '../protocol/index.ts';
import { readFacts } from './adapters/whole-journal.ts';
import { timestamp } from './machine.ts';
import { findLoop } from './read-loops.ts';
import type { LoopPlace } from './stores.ts';

/** The formats of other systems that a loop can be exported to. */
export const exportFormats = ['aiwg-v2', 'tachikoma', 'ultraplan'] as const;
/** A format of another system. */
export type ExportFormat = (typeof exportFormats)[number];

/** Whether a word is the name of an export format. */
export function isExportFormat(word: string): word is ExportFormat {
  return exportFormats.some((format) => format === word);
}

/** How to export. */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** Only the fields that the format defines. */
  readonly strict?: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** A loop in another system's format. One that came from that system keeps every field that it had there. */
export function exportLoop(place: LoopPlace, query: string | undefined, options: ExportOptions): Document {
  const { loop } = findLoop(place, query, { orNewest: true });
  const facts = loop.origin.imported === undefined ? [] : readFacts(place, loop.id);
  return exportedDocument(loop, facts, options);
}

/** The document for a loop; the facts of an imported one hold what it was imported from. */
export function exportedDocument(loop: Loop, facts: readonly RecordedFact[], options: ExportOptions): Document {
  const { format, strict = false } = options;
  const savedAt = timestamp();
  const now = documentOf(loop, format, savedAt);
  const source = strict ? undefined : sourceOf(facts);
  if (source === undefined) return strict && format === 'aiwg-v2' ? onlyAiwgState(now) : now;
  if (source.from !== systems[format]) {
    return format === 'aiwg-v2' ? { ...now, ralphd: { imported: { [source.from]: source.document } } } : now;
  }
  const updated = carryOver(source.document, documentOf(source.loop, format, savedAt), now);
  return withStatus(updated, now, format);
}

const systems: Readonly<Record<ExportFormat, ForeignSystem>> = {
  'aiwg-v2': 'aiwg',
  tachikoma: 'tachikoma',
  ultraplan: 'ultraplan',
};

function documentOf(loop: Loop, format: ExportFormat, savedAt: string): Document {
  switch (format) {
    case 'aiwg-v2': {
      const { ralphd: _ours, ...document } = toStateDocument(loop);
      return document;
    }
    case 'tachikoma':
      return { ...toTachikomaDocument(loop, savedAt) };
    case 'ultraplan':
      return { ...toUltraplanDocument(loop) };
  }
}

/** The document from which a loop was imported, and the loop at that moment. */
function sourceOf(
  facts: readonly RecordedFact[],
): { readonly from: ForeignSystem; readonly document: Document; readonly loop: Loop } | undefined {
  const fact = facts.find(({ type }) => type === 'loop.imported');
  if (fact?.type !== 'loop.imported' || fact.data.document === undefined) return undefined;
  const end = facts.findIndex(({ type }) => type === 'loop.paused' || type === 'loop.ended');
  return { from: fact.data.from, document: fact.data.document, loop: replay(facts.slice(0, end + 1)) };
}

/** Who the loop is and whether it runs is never what the other system last wrote. */
function withStatus(document: Document, now: Document, format: ExportFormat): Document {
  switch (format) {
    case 'aiwg-v2': {
      const { pid: _pid, ...rest } = document;
      return { ...rest, loop_id: now['loop_id'], status: now['status'] };
    }
    case 'tachikoma': {
      const [core, current] = [document['core'], now['core']] as readonly Document[];
      return { ...document, core: { ...core, status: current?.['status'] } };
    }
    case 'ultraplan':
      return { ...document, active: now['active'] };
  }
}
