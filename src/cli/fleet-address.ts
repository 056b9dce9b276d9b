import { failures, LoopError } from '../base/index.ts';
import type { Invocation } from './parse.ts';
import { fleetAddressOf } from './place.ts';
import type { Surroundings } from './surroundings.ts';

/** The address of the fleet, for a command that makes no sense without one. */
export function requiredFleet(invocation: Invocation, surroundings: Surroundings): string {
  const address = fleetAddressOf(invocation, surroundings);
  if (address === undefined) throw new LoopError(failures.missingArgument('--db URL', invocation.command.name));
  return address;
}

/** The values of an option that may be given several times. */
export function allOf(option: Invocation['options'][string] | undefined): readonly string[] {
  if (option === undefined || option === true) return [];
  return typeof option === 'string' ? [option] : option;
}
