import { createMemoryLock } from '../../../src/store/testing/memory-lock.ts';
import { type Image, withFile } from '../disk/image.ts';
import { createImageDisk } from '../disk/image-disk.ts';
import { codeOf, probe } from '../oracle/probe.ts';
import type { Subject } from '../oracle/subject.ts';
import { fold, loopId, storeOn } from '../oracle/world.ts';
import { blockMixes, type Change, cuts, flips, splices } from './changes.ts';
import { type Corpus, corpusOf, livesInTurn } from './corpus.ts';

/** The results of all changes to one kind of file. */
export interface RotRow {
  readonly kind: string;
  bytes: number;
  flips: number;
  others: number;
  /** Reported, refused or repaired. */
  detected: number;
  /** Same facts and same snapshot as before. */
  harmless: number;
  /** The newest segment was cut at the end of a line, which looks the same as a loop that stopped earlier. */
  earlier: number;
  readonly violations: string[];
}

/** How much to try. */
export interface RotOptions {
  readonly subject: Subject;
  /** Flips every bit in files of about this many bytes in total. */
  readonly bytes: number;
  /** Flips every seventh bit: one or two per byte, at different positions in adjacent bytes. */
  readonly isQuick?: boolean;
  /** Makes only every so-manyth change. */
  readonly every?: number;
  readonly untilFirst?: boolean;
}

/** Damages files in every small way and a few large ones, and reads the loop each time. */
export function rot({ subject, bytes, isQuick, untilFirst, every = 1 }: RotOptions): readonly RotRow[] {
  const rows = new Map<string, RotRow>();
  let left = bytes;
  for (let number = 0; left > 0; number += 1) {
    const corpus = corpusOf(subject, number);
    const foreign = corpusOf(subject, number + livesInTurn);
    const reader = corpus.subject;
    const before = look(reader, corpus.image);
    for (const file of corpus.files) {
      const row = rows.get(file.kind) ?? emptyRow(file.kind);
      rows.set(file.kind, row);
      row.bytes += file.bytes.byteLength;
      left -= file.bytes.byteLength;
      let changes = 0;
      for (const change of changesOf(file, foreign, isQuick ? 7 : 1)) {
        changes += 1;
        if (changes % every !== 0) continue;
        if (untilFirst && row.violations.length > 0) return [...rows.values()];
        count(row, change);
        const after = look(reader, withFile(corpus.image, file.place, change.bytes));
        settle(row, {
          change,
          before,
          after,
          isNewest: isNewest(corpus, file.place),
          name: `loop ${number}, ${file.place}`,
        });
        if ((row.flips + row.others) % 16 === 0)
          checkRecovery(row, reader, withFile(corpus.image, file.place, change.bytes));
      }
    }
  }
  return [...rows.values()];
}

function* changesOf(file: Corpus['files'][number], foreign: Corpus, stride: number): Generator<Change> {
  yield* flips(file.bytes, stride);
  yield* cuts(file.bytes);
  yield* blockMixes(file.bytes);
  const other = foreign.files.find(({ place }) => place === file.place);
  // Compressed files have no lines, and a whole file of another loop would be a copy with this loop's id, not damage.
  if (other && !file.place.endsWith('.gz')) yield* splices(file.bytes, other.bytes);
}

interface Seen {
  readonly state: string;
  readonly numbers: readonly number[];
  readonly problems: string;
}

function look(subject: Subject, image: Image): Seen {
  try {
    const store = storeOn(subject, { files: createImageDisk(image), lock: createMemoryLock() });
    const found = subject.mirrorRoot === undefined ? store.read(loopId) : store.open(loopId).recovered;
    const numbers = fold(found);
    const problems = found.problems.map(({ kind, file }) => `${kind} ${file}`).join();
    return { state: JSON.stringify([numbers, found.snapshot]), numbers, problems };
  } catch (error) {
    const code = codeOf(error) ?? `not one of our failures: ${String(error)}`;
    return { state: code, numbers: [], problems: code };
  }
}

interface Rotten {
  readonly change: Change;
  readonly before: Seen;
  readonly after: Seen;
  readonly isNewest: boolean;
  readonly name: string;
}

function settle(row: RotRow, { change, before, after, isNewest, name }: Rotten): void {
  const isPrefix = after.numbers.every((number, index) => number === before.numbers[index]);
  const isOdd = after.problems.startsWith('not one of our failures');
  if (isOdd || !isPrefix)
    row.violations.push(`${name}, ${change.what}: ${isOdd ? after.problems : after.numbers.join()}`);
  else if (after.problems !== before.problems) row.detected += 1;
  else if (after.state === before.state) row.harmless += 1;
  else if (isNewest && isAtLineEnd(change)) row.earlier += 1;
  else row.violations.push(`${name}, ${change.what}: facts ${after.numbers.join()} and not a word about it`);
}

function isAtLineEnd({ bytes, cutAt }: Change): boolean {
  return cutAt === 0 || (cutAt !== undefined && bytes.at(-1) === 0x0a);
}

function isNewest({ files }: Corpus, place: string): boolean {
  const kind = files.find((file) => file.place === place)?.kind;
  const segments = files.filter((file) => file.kind === kind && file.place.endsWith('.jsonl'));
  return (
    segments
      .map((file) => file.place)
      .toSorted()
      .at(-1) === place
  );
}

// A loop that opens at all must also continue, with the same result twice.
function checkRecovery(row: RotRow, subject: Subject, image: Image): void {
  const [fault] = probe(subject, image).faults;
  if (fault !== undefined) row.violations.push(`${row.kind}: ${fault}`);
}

function count(row: RotRow, change: Change): void {
  if (change.what.startsWith('bit')) row.flips += 1;
  else row.others += 1;
}

function emptyRow(kind: string): RotRow {
  return { kind, bytes: 0, flips: 0, others: 0, detected: 0, harmless: 0, earlier: 0, violations: [] };
}
