import type { DrivenLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { paintFor } from './paint.ts';

/** Tells a user what went wrong beside a loop, as it happens. */
export function tellProblems({ problems, opening }: DrivenLoop, { stderr }: Surroundings): Disposable {
  const tell = (message: string) => stderr.write(`${paintFor(stderr).warn(`! ${scrub(message)}`)}\n`);
  // What a recovery found is part of its fact, and shown with it.
  const shown = opening.flatMap((fact) => (fact.type === 'loop.recovered' ? fact.data.problems : []));
  for (const message of problems.messages) if (!shown.includes(message)) tell(message);
  return problems.watch(tell);
}
