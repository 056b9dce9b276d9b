import { failures, LoopError } from '../base/index.ts';
import type { Verbosity } from './live/loop-lines.ts';
import type { Invocation } from './parse.ts';

/** How a running loop is shown. */
export interface Display {
  readonly asJson: boolean;
  readonly verbosity: Verbosity;
  /** Whether it is shown on the whole screen, where there is a terminal for that. */
  readonly isScreen: boolean;
}

/** The display that the options ask for. */
export function displayOf({ options }: Pick<Invocation, 'options'>): Display {
  const [isQuiet, isVerbose] = [options['quiet'] === true, options['verbose'] === true];
  if (isQuiet && isVerbose) throw new LoopError(failures.conflictingOptions('--quiet', '--verbose'));
  const asJson = options['json'] === true;
  // --quiet and --verbose say which lines to print.
  const isScreen = !asJson && !isQuiet && !isVerbose && options['plain'] !== true;
  return { asJson, verbosity: isQuiet ? 'quiet' : isVerbose ? 'verbose' : 'normal', isScreen };
}
