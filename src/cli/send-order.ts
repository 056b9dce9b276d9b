import { randomUUID } from 'node:crypto';
import { type LoopPlace, type LoopView, localSender, sendToLoop } from '../app/index.ts';
import type { Loop, LoopCommand, LoopOrder } from '../core/index.ts';
import { appContext, type Surroundings } from './surroundings.ts';

/** Where the loop is, and who sends the command. */
export interface OrderSetting {
  readonly place: LoopPlace;
  readonly surroundings: Surroundings;
}

/** Sends a command to a loop and waits for the answer. Returns the loop that accepted it; throws if it refuses. */
export async function sendOrder(
  view: LoopView,
  order: LoopOrder,
  { place, surroundings }: OrderSetting,
): Promise<{ readonly loop: Loop; readonly command: LoopCommand }> {
  const command = { ...order, id: randomUUID(), sender: localSender('cli') };
  const context = appContext(surroundings);
  return { loop: await sendToLoop(view, command, { place, context }), command };
}
