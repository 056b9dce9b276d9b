import { breakpointsOf, type Loop, modeOf } from '../../core/index.ts';
import type { Surroundings } from '../surroundings.ts';

/** Whether there is a terminal that can show a screen and be typed into. */
export function canShowScreen({ stdin, stdout, stderr, env, background }: Surroundings): boolean {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && stderr.isTTY === true;
  return background === undefined && isTerminal && !env['CI'] && env['TERM'] !== 'dumb';
}

/** Whether a loop may ask a person, which it does between plain lines. */
export function mayAsk(loop: Loop): boolean {
  return modeOf(loop) !== 'unattended' || loop.config.modeSchedule.length > 0 || breakpointsOf(loop).length > 0;
}
