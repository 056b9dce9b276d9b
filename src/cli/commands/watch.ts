import { displayOf } from '../display.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { canShowScreen } from '../screen/can-show.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd watch`: shows a loop live, whichever process runs it, without disturbing it. */
export async function watchCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const display = displayOf(invocation);
  const place = await placeFor(invocation, surroundings);
  const exitsWhenPaused = invocation.options['exit-when-paused'] === true;
  if (display.isScreen && !exitsWhenPaused && canShowScreen(surroundings)) {
    const { watchOnScreen } = await import('../screen/watch-screen.ts');
    return await watchOnScreen(invocation, surroundings, place);
  }
  const { watchAsLines } = await import('../live/watch-lines.ts');
  return await watchAsLines({ place, query: invocation.args[0], display, exitsWhenPaused }, surroundings);
}
