import { setTimeout as delay } from 'node:timers/promises';
import { mustHold } from './findings.ts';

const pollMs = 20;
const maxPolls = 1_500;

/** Polls until the condition holds; if that takes about half a minute, it is a finding. */
export async function waitUntil(what: string, condition: () => boolean, signal: AbortSignal): Promise<void> {
  for (let polls = 0; !condition(); polls += 1) {
    mustHold(polls < maxPolls, `${what} did not happen within half a minute`);
    await delay(pollMs, undefined, { signal });
  }
}
