/** A snapshot as the layers above write it: `version` and `loop_id` of its own, and a `ralphd` object. */
export type SnapshotDocument = Readonly<Record<string, unknown>>;

/** Turns a snapshot of one format into one of the next. */
export type SnapshotUpcaster = (document: SnapshotDocument) => SnapshotDocument;

/** From format 1 to 2, from 2 to 3 and so on; the `ralphd` object's format today is one more than there are. */
export const snapshotUpcasters: readonly SnapshotUpcaster[] = [];
