import type { RecordedFact } from '../../protocol/index.ts';
import { factLines } from './fact-lines.ts';
import { localInstant } from './instants.ts';
import { oneLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

const maxDataColumns = 100;

/** A fact for a person: number, time and type, then the lines that a run prints for it, or a summary of its data. */
export function eventLines(fact: RecordedFact, nowMs: number, { paint, width }: Canvas): readonly string[] {
  const head = `#${fact.seq} ${localInstant(Date.parse(fact.at), nowMs)} ${fact.type}`;
  const words = factLines(fact, paint).filter((line) => line !== '');
  if (words.length > 0) return [paint.dim(head), ...words];
  const room = Math.min(maxDataColumns, width - head.length - 2);
  const data = room < 10 ? '' : oneLine(shortData(fact.data), room);
  return [data === '' ? paint.dim(head) : `${paint.dim(head)}  ${data}`];
}

/** The plain values of the data; nested values are only in the JSON. */
function shortData(data: object): string {
  return Object.entries(data)
    .flatMap(([name, value]: [string, unknown]) => (isPlain(value) ? [`${name}=${value}`] : []))
    .join(' ');
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
