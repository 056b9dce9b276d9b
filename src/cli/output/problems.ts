import type { DrivenLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { printLines } from './fit-lines.ts';
import { paintFor } from './paint.ts';

/** Prints problems that do not stop the loop as they occur. */
export function printProblems({ problems, opening }: DrivenLoop, { stderr }: Surroundings): Disposable {
  const print = (message: string) => printLines(stderr, [paintFor(stderr).warn(`! ${scrub(message)}`)]);
  // Problems found during a recovery are printed with its fact.
  const shown = opening.flatMap((fact) => (fact.type === 'loop.recovered' ? fact.data.problems : []));
  for (const message of problems.messages) if (!shown.includes(message)) print(message);
  return problems.watch(print);
}
