import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { Finding, mustHold } from './findings.ts';

/** A fact as the journal stores it or as `--json` prints it. */
export interface RecordedFact {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `,"crc":"` + 8 digits + `"}`: the end of a line, which its checksum does not cover. */
const suffixLength = 18;

/**
 * Reads the journal of a loop without the code that wrote it: every line must continue the checksum and the number of the
 * line before it. Bytes after the end that a later owner accepted do not count.
 */
export function readJournal(loopFolder: string): readonly RecordedFact[] {
  const folder = path.join(loopFolder, 'journal');
  const segments = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+-\d+\.jsonl$/u.test(name)) : [];
  const contents = segments.toSorted().map((name) => readFileSync(path.join(folder, name)));
  const facts: RecordedFact[] = [];
  let crc = 0;
  for (const [index, content] of contents.entries()) {
    for (const line of wholeLines(content.subarray(0, acceptedBytes(contents[index + 1])))) {
      const body = line.subarray(0, line.length - suffixLength);
      crc = crc32(body, crc);
      const fact = JSON.parse(line.toString('utf8')) as RecordedFact & { readonly crc: string };
      mustHold(fact.crc === crc.toString(16).padStart(8, '0'), `line ${fact.seq} of the journal has a wrong checksum`);
      mustHold(fact.seq === facts.length + 1, `line ${facts.length + 1} of the journal has the number ${fact.seq}`);
      facts.push(fact);
    }
  }
  return facts;
}

/** Lines that end with a line break: the rest of a killed write is not a line. */
function wholeLines(content: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = content.indexOf(10); end !== -1; start = end + 1, end = content.indexOf(10, start))
    lines.push(content.subarray(start, end));
  return lines;
}

/** The first line of a segment says how much of the one before it counts. */
function acceptedBytes(next: Buffer | undefined): number | undefined {
  const [first] = next === undefined ? [] : wholeLines(next);
  if (first === undefined) return undefined;
  const { data } = JSON.parse(first.toString('utf8')) as { readonly data: { readonly previous?: { bytes: number } } };
  return data.previous?.bytes;
}

/** The numbers of the finished iterations, which must be 1, 2, 3 and so on. */
export function finishedIterations(facts: readonly RecordedFact[]): number {
  const numbers = facts.filter(({ type }) => type === 'iteration.finished').map(({ data }) => data['iteration']);
  const isInOrder = numbers.every((number, index) => number === index + 1);
  if (!isInOrder) throw new Finding(`the finished iterations have the numbers ${numbers.join(', ')}`);
  return numbers.length;
}
