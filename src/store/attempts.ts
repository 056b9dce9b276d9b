import path from 'node:path';
import { hasFolder, reading } from '../files/index.ts';
import type { RootedPlace } from './place.ts';

/** Which attempt at which iteration. */
interface Attempt {
  readonly iteration: number;
  readonly attempt: number;
}

/** The folder with the files of one attempt. */
export function attemptFolder({ folder }: Pick<RootedPlace, 'folder'>, { iteration, attempt }: Attempt): string {
  return path.join(iterationFolder(folder, iteration), `attempt-${attempt}`);
}

/** The iterations that have a folder, in order. */
export function iterationsOf(place: RootedPlace): readonly number[] {
  return numbersIn(place, path.join(place.folder, 'iterations'), /^(\d{3,})$/);
}

/** The attempts at an iteration that have a folder, in order. */
export function attemptsOf(place: RootedPlace, iteration: number): readonly number[] {
  return numbersIn(place, iterationFolder(place.folder, iteration), /^attempt-([1-9]\d*)$/);
}

function iterationFolder(folder: string, iteration: number): string {
  return path.join(folder, 'iterations', String(iteration).padStart(3, '0'));
}

function numbersIn({ files, root }: RootedPlace, folder: string, form: RegExp): readonly number[] {
  if (!hasFolder(files, root, folder)) return [];
  const names = reading(folder, () => files.list(folder));
  const numbers = names.flatMap((name) => form.exec(name)?.slice(1).map(Number) ?? []);
  return numbers.toSorted((one, other) => one - other);
}
