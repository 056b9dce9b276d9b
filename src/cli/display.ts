import { failures, LoopError } from '../base/index.ts';
import type { Verbosity } from './live/loop-story.ts';
import type { Invocation } from './parse.ts';

/** How a loop under way is shown. */
export interface Display {
  readonly asJson: boolean;
  readonly verbosity: Verbosity;
}

/** How the user wants to see a loop. */
export function displayOf({ options }: Pick<Invocation, 'options'>): Display {
  const [isQuiet, isVerbose] = [options['quiet'] === true, options['verbose'] === true];
  if (isQuiet && isVerbose) throw new LoopError(failures.conflictingOptions('--quiet', '--verbose'));
  return { asJson: options['json'] === true, verbosity: isQuiet ? 'quiet' : isVerbose ? 'verbose' : 'normal' };
}
