import { inspectIteration, remoteLoopsAt } from '../../app/index.ts';
import { parseCount } from '../count-option.ts';
import { inspectLines } from '../output/inspect-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd inspect`: what one iteration did, and why it was judged that way. */
export async function inspectCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd } = surroundings;
  const isJson = options['json'] === true;
  const place = await placeFor(invocation, surroundings);
  const found = await inspectIteration(place, args[0], {
    context: appContext(surroundings),
    request: {
      iteration: args[1] === undefined ? undefined : parseCount('The iteration', args[1]),
      withPatch: isJson || options['diff'] === true,
    },
  });
  if (isJson) stdout.write(jsonLine(found));
  else {
    const isElsewhere = remoteLoopsAt(place.root) !== undefined;
    const canvas = { paint: paintFor(stdout), width: widthOf(stdout), isElsewhere };
    const lines = inspectLines(found, { ...canvas, cwd, nowMs: Date.now(), wholePrompt: options['prompt'] === true });
    stdout.write(`${lines.join('\n')}\n`);
  }
  return 0;
}
