import { setTimeout as delay } from 'node:timers/promises';
import { type FleetCopy, findLoopId } from '../app/index.ts';
import { LoopError } from '../base/index.ts';
import type { Surroundings } from './surroundings.ts';

const lookAgainMs = 1_000;

/** Whoever follows a loop that no worker has started yet waits until one does. */
export async function waitForStart(
  copy: FleetCopy,
  query: string | undefined,
  { stderr }: Surroundings,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return void findLoopId(copy.place, query, { orNewest: true });
    } catch (error) {
      if (!(error instanceof LoopError) || error.code !== 'LOOP_NOT_STARTED') return;
      if (isFirst) stderr.write(`${error.message}\n`);
      await delay(lookAgainMs);
      await copy.lookAround();
    }
  }
}
