import path from 'node:path';
import type { Loop } from '../../core/index.ts';
import { attemptFolder, attemptsOf, iterationsOf, type RootedPlace } from '../../store/index.ts';
import type { Problems } from '../problems.ts';

/** Encrypts the files of attempts that are over; does nothing for a loop that is not encrypted. */
export interface AttemptSealer {
  seal(loop: Loop): void;
}

/** What an agent reads and writes directly, so that it is in clear text while the agent works. */
const clearNames = ['prompt', 'stdout', 'stderr'];

/** An owner that died may have left files of any attempt in clear text, so the first call looks at all of them. */
export function createAttemptSealer(place: RootedPlace, problems: Problems): AttemptSealer {
  const { protection, files } = place;
  const done = new Set<string>();
  if (!protection) return { seal: () => {} };
  return {
    seal({ position: { current } }) {
      const folders = iterationsOf(place).flatMap((iteration) =>
        attemptsOf(place, iteration)
          // A run that is not over may be adopted, and its files are read as they are.
          .filter((attempt) => current?.iteration !== iteration || current.attempt !== attempt)
          .map((attempt) => attemptFolder(place, { iteration, attempt })),
      );
      for (const folder of folders.filter((each) => !done.has(each))) {
        problems.attempt('The files of an attempt could not be encrypted', () => {
          for (const file of clearNames.map((name) => path.join(folder, name))) {
            if (files.look(file)?.kind === 'file') protection.protect(file);
          }
          done.add(folder);
        });
      }
    },
  };
}
