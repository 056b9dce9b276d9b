import { findLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { breakpointsOf, type Loop } from '../../core/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { sendOrder } from '../send-order.ts';
import type { Surroundings } from '../surroundings.ts';
import { breakpointForm, breakpointsText, readBreakpoint } from '../words/breakpoints.ts';

/** `ralphd breakpoint`: sets or removes a place at which a loop asks in every mode, or lists these places. */
export async function breakpointCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { args, options } = invocation;
  const breakpoint = readBreakpoint(args.at(-1) ?? '');
  const remove = options['remove'] === true;
  if (breakpoint === undefined && (args.length === 2 || remove))
    throw new LoopError(failures.badValue('WHERE', breakpointForm, `"${args.at(-1) ?? ''}"`));
  const place = await placeFor(invocation, surroundings);
  const report = (loop: Loop) => {
    const { stdout } = surroundings;
    if (options['json'] === true) stdout.write(jsonLine({ loopId: loop.id, breakpoints: breakpointsOf(loop) }));
    else printLines(stdout, [`${loop.id} ${breakpointsText(breakpointsOf(loop))}.`]);
    return 0;
  };
  if (breakpoint === undefined) return report(findLoop(place, args[0], { orNewest: true }).loop);
  const view = findLoop(place, args.length > 1 ? args[0] : undefined);
  const order = { command: 'breakpoint', breakpoint, ...(remove ? { remove } : {}) } as const;
  return report((await sendOrder(view, order, { place, surroundings })).loop);
}
