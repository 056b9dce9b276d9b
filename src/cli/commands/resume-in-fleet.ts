import { findLoop, requeueLoop } from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { commandTable } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { sendOrder } from '../send-order.ts';
import type { Surroundings } from '../surroundings.ts';

// A worker continues the loop with the settings that it has: this process does not drive it.
const taken: ReadonlySet<string> = new Set(['db', 'json', 'state-dir', 'config']);

/** `ralphd resume --db`: the loop's worker continues it, or the next one that takes it. */
export async function resumeInFleet(
  address: string,
  invocation: Invocation,
  surroundings: Surroundings,
): Promise<number> {
  const { options, args } = invocation;
  const own = Object.keys(options).find((name) => options[name] !== undefined && !taken.has(name));
  if (own !== undefined) throw new LoopError(failures.conflictingOptions('--db', `--${own}`));
  const place = await placeFor(invocation, surroundings);
  const view = findLoop(place, args[0]);
  const isDriven = view.owner !== undefined && view.owner.liveness !== 'dead';
  if (isDriven) await sendOrder(view, { command: 'resume' }, { place, surroundings });
  else if (!(await requeueLoop(address, view.loop.id)))
    throw new LoopError(failures.fleetNotThere(view.loop.id, 'requeue'));
  const effect = isDriven ? commandTable.resume.effect : 'is queued again';
  if (options['json'] === true)
    surroundings.stdout.write(jsonLine({ loopId: view.loop.id, command: 'resume', accepted: true }));
  else printLines(surroundings.stdout, [`${view.loop.id} ${effect}.`]);
  return exitCodes.completed;
}
