import { columnsOf } from '../../base/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import { factLines } from './fact-lines.ts';
import { fitLines } from './fit-lines.ts';
import { localInstant } from './instants.ts';
import { oneLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

const maxDataColumns = 100;
const maxValueColumns = 60;

/** A fact for a person: number, time and type, then the lines that a run prints for it, or a summary of its data. */
export function eventLines(fact: RecordedFact, nowMs: number, { paint, width }: Canvas): readonly string[] {
  const head = `#${fact.seq} ${localInstant(Date.parse(fact.at), nowMs)} ${fact.type}`;
  const words = factLines(fact, paint).filter((line) => line !== '');
  const heading = fitLines([paint.dim(head)], width);
  if (words.length > 0) return [...heading, ...fitLines(words, width)];
  const room = Math.min(maxDataColumns, width - columnsOf(head) - 2);
  const data = shortData(fact.data, room);
  return data === '' ? heading : [`${paint.dim(head)}  ${data}`];
}

/** The plain values among the data, as many as there is room for; nested values are only in the JSON. */
function shortData(data: object, room: number): string {
  let text = '';
  for (const [name, value] of Object.entries(data) as readonly [string, unknown][]) {
    if (!isPlain(value)) continue;
    const next = `${text}${text === '' ? '' : ' '}${name}=${oneLine(String(value), maxValueColumns)}`;
    if (columnsOf(next) > room) break;
    text = next;
  }
  return text;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
