import { failures, LoopError } from '../base/index.ts';
import type { Invocation } from './parse.ts';
import type { Surroundings } from './surroundings.ts';

/** Whether there is a terminal to ask in. */
export function canAsk({ stdin, stderr, background }: Surroundings): boolean {
  return background === undefined && stdin.isTTY === true && stderr.isTTY === true;
}

/** Refuses a loop that asks a person where it could ask nobody: it would wait for ever. */
export function assertCanAsk({ options }: Pick<Invocation, 'options'>, surroundings: Surroundings): void {
  const isHere = options['json'] !== true && options['detach'] !== true && canAsk(surroundings);
  if (!isHere) throw new LoopError(failures.attendedNeedsTerminal('attended'));
}
