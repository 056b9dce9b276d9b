import path from 'node:path';
import { type CareFiles, look } from '../../files/index.ts';
import { type JournalReading, readJournal } from '../journal/read.ts';
import type { LockPort } from '../lock/lock-port.ts';
import type { LoopPlace } from '../place.ts';
import { journalOf } from '../recover.ts';
import { type Found, walk } from './walk.ts';

/** What is wrong with a file or folder itself, regardless of its content. */
export interface Oddity {
  readonly path: string;
  readonly kind: 'link' | 'special' | 'open_to_others' | 'foreign_owner';
}

/** Checks the permissions and the kind of everything below a folder, and of the folder itself. */
export function findOddities(files: CareFiles, folder: string): readonly Oddity[] {
  const below = [...walk(files, folder)].flatMap((found) => judge(files, found));
  return [...oddityAt(files, folder), ...below];
}

/** Checks the permissions and the kind of one file or folder, if it exists. */
export function oddityAt(files: CareFiles, place: string): readonly Oddity[] {
  const info = files.lookClosely(place);
  return info ? judge(files, { ...info, path: place }) : [];
}

function judge({ userId }: CareFiles, found: Found): readonly Oddity[] {
  const odd = (kind: Oddity['kind']) => [{ path: found.path, kind }];
  if (found.kind === 'link') return odd('link');
  if (found.kind === 'other') return odd('special');
  if (userId !== undefined && found.userId !== userId) return odd('foreign_owner');
  return (found.mode & 0o077) === 0 ? [] : odd('open_to_others');
}

/** Reads a loop's whole journal, every line of it. */
export function readWholeJournal(place: LoopPlace): Pick<JournalReading, 'entries' | 'problems'> {
  return readJournal(journalOf(place));
}

/** Whether some process holds a loop's lock. If none does, the check itself takes it for a moment. */
export function isLockHeld({ files, folder }: LoopPlace, lock: LockPort): boolean {
  const file = path.join(folder, 'lock');
  if (look(files, file)?.kind !== 'file') return false;
  const held = lock.tryHold(file);
  held?.release();
  return held === undefined;
}
