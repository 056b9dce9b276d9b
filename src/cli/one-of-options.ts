import { failures, LoopError } from '../base/index.ts';
import type { Invocation } from './parse.ts';

/** The one of these switches that is given, if any; two of them contradict each other. */
export function oneOfOptions<Name extends string>(
  options: Invocation['options'],
  names: readonly Name[],
): Name | undefined {
  const [name, other] = names.filter((each) => options[each] === true);
  if (name !== undefined && other !== undefined) {
    throw new LoopError(failures.conflictingOptions(`--${name}`, `--${other}`));
  }
  return name;
}
