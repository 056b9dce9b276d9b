import { upcastGuards } from '../base/index.ts';

/** A snapshot as the layers above write it: `version` and `loop_id` of its own, and a `ralphd` object. */
export type SnapshotDocument = Readonly<Record<string, unknown>>;

/** Turns a snapshot of one format into one of the next. */
export type SnapshotUpcaster = (document: SnapshotDocument) => SnapshotDocument;

/** From format 1 to 2, from 2 to 3 and so on; the `ralphd` object's format today is one more than there are. */
export const snapshotUpcasters: readonly SnapshotUpcaster[] = [withGuardsByKind];

/** Format 2: each guard says of which kind it is. */
function withGuardsByKind(document: SnapshotDocument): SnapshotDocument {
  const { ralphd } = document;
  if (!isRecord(ralphd) || !isRecord(ralphd['loop'])) return document;
  const { guards } = ralphd['loop'];
  if (!Array.isArray(guards)) return document;
  return { ...document, ralphd: { ...ralphd, loop: { ...ralphd['loop'], guards: upcastGuards(guards) } } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
