import { isRecord, upcastGuards } from './guards-by-kind.ts';

type Data = Readonly<Record<string, unknown>>;
/** Converts data of one format to the next; leaves anything else unchanged. */
type Upcaster = (data: Data) => Data;

/** What changed from one format to the next. */
interface FormatStep {
  /** By type of fact: what happens to its data. */
  readonly facts: Readonly<Record<string, Upcaster>>;
  /** What happens to the loop that a snapshot holds. */
  readonly loop: Upcaster;
}

/**
 * The only place where formats change: from format 1 to 2, from 2 to 3 and so on. Every released format can still be
 * read. A snapshot carries its format; facts do not, so each step recognises their old form by its shape.
 */
const steps: readonly FormatStep[] = [
  {
    // Each guard has a kind.
    facts: {
      'loop.started': guardsIn('guards'),
      'gate.accepted': guardsIn('guards'),
      'baseline.finished': guardsIn('renewed'),
    },
    loop: guardsIn('guards'),
  },
];

/** A snapshot as it is stored: an AIWG document with one `ralphd` object of our own. */
export type SnapshotDocument = Data;

/** Converts a snapshot of one format to the next. */
export type SnapshotUpcaster = (document: SnapshotDocument) => SnapshotDocument;

/** From format 1 to 2, from 2 to 3 and so on; the current format is one more than the number of steps. */
export const snapshotUpcasters: readonly SnapshotUpcaster[] = steps.map(({ loop }) => inLoop(loop));

/** The data of a fact in its current form. */
export function upcastFact(type: string, data: unknown): unknown {
  if (!isRecord(data)) return data;
  return steps.reduce<Data>((older, { facts }) => {
    const upcast = Object.hasOwn(facts, type) ? facts[type] : undefined;
    return upcast === undefined ? older : upcast(older);
  }, data);
}

function inLoop(upcast: Upcaster): SnapshotUpcaster {
  return (document) => {
    const { ralphd } = document;
    if (!isRecord(ralphd) || !isRecord(ralphd['loop'])) return document;
    return { ...document, ralphd: { ...ralphd, loop: upcast(ralphd['loop']) } };
  };
}

function guardsIn(field: string): Upcaster {
  return (data) => {
    const guards = data[field];
    return Array.isArray(guards) ? { ...data, [field]: upcastGuards(guards) } : data;
  };
}
