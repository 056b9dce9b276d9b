import { upcastGuards } from '../../base/index.ts';

type Data = Readonly<Record<string, unknown>>;
/** Turns the data of a fact as an earlier version wrote it into what is written today; leaves anything else alone. */
type Upcaster = (data: Data) => Data;

/** By type of fact, oldest first. Facts carry no version of their own: each upcaster knows its old form by its looks. */
const upcasters: Readonly<Record<string, readonly Upcaster[]>> = {
  'loop.started': [withGuards('guards')],
  'gate.accepted': [withGuards('guards')],
  'baseline.finished': [withGuards('renewed')],
};

/** The data of a fact in today's form. */
export function upcastFact(type: string, data: unknown): unknown {
  const own = Object.hasOwn(upcasters, type) ? (upcasters[type] ?? []) : [];
  return isRecord(data) ? own.reduce((older, upcast) => upcast(older), data) : data;
}

function withGuards(field: string): Upcaster {
  return (data) => {
    const guards = data[field];
    return Array.isArray(guards) ? { ...data, [field]: upcastGuards(guards) } : data;
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
