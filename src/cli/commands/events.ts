import { findLoopId, followLoop, readLoopFacts } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { factTypes, type RecordedFact } from '../../protocol/index.ts';
import { countOption } from '../count-option.ts';
import { eventLines } from '../output/event-lines.ts';
import { factObject } from '../output/fact-object.ts';
import { jsonLine } from '../output/json-line.ts';
import { writePaced } from '../output/paced-output.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd events`: the facts of a loop, and with `--follow` new ones as they are recorded. */
export async function eventsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const isWanted = typeFilter(options['type']);
  const afterSeq = (countOption(options, 'from') ?? 1) - 1;
  const place = await placeFor(invocation, surroundings);
  const loopId = findLoopId(place, args[0], { orNewest: true });
  const { stdout } = surroundings;
  const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
  const show = (fact: RecordedFact) =>
    options['json'] === true
      ? jsonLine(factObject(loopId, fact))
      : `${eventLines(fact, Date.now(), canvas).join('\n')}\n`;
  const followed = { loopId, root: place.root, context: appContext(surroundings) };
  const facts = options['follow'] === true ? followLoop(followed, { afterSeq }) : readLoopFacts(followed, afterSeq);
  for await (const fact of facts) {
    if (isWanted(fact.type) && !(await writePaced(stdout, show(fact)))) break;
  }
  return 0;
}

/** Matches the types of facts against a pattern. A pattern that matches no type is an error, not an empty result. */
function typeFilter(option: Invocation['options'][string] | undefined): (type: string) => boolean {
  if (typeof option !== 'string') return () => true;
  const pattern = option
    .replace(/[.+^${}()|[\]\\]/gu, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const isNamed = (type: string) => new RegExp(`^${pattern}$`, 'u').test(type);
  if (factTypes.some(isNamed)) return isNamed;
  throw new LoopError(
    failures.badValue('--type', 'a pattern that matches a fact, such as "iteration.*"', `"${option}"`),
  );
}
