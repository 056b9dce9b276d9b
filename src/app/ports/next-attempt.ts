import { type AgentOrders, makeReady, type Readiness, standDown } from '../../process/index.ts';
import type { AttemptKey } from '../../runner/index.ts';

/** What is made ready for the attempt to come while an agent works: its folder, its spools, and a keeper that waits. */
export interface NextAttempt {
  /** Begins to make it ready, if nothing is yet. What cannot be had now is asked for again when it is needed. */
  make(key: AttemptKey, orders: () => AgentOrders): void;
  /** Hands over what was made ready for just this attempt. */
  take(key: AttemptKey): Promise<Readiness | undefined>;
  /** Lets it go, and leaves nothing of it. */
  dismiss(): Promise<void>;
}

/** Nothing is ready yet. */
export function createNextAttempt(): NextAttempt {
  let next: { readonly key: AttemptKey; readonly readiness: Promise<Readiness | undefined> } | undefined;
  const dismiss = async () => {
    const readiness = next?.readiness;
    next = undefined;
    const ready = await readiness;
    if (ready !== undefined) await standDown(ready);
  };
  return {
    make(key, orders) {
      next ??= { key, readiness: tryToMake(orders) };
    },
    async take({ iteration, attempt }) {
      if (next === undefined || next.key.iteration > iteration) return undefined;
      const { key, readiness } = next;
      if (key.iteration === iteration && key.attempt === attempt) {
        next = undefined;
        return await readiness;
      }
      await dismiss();
      return undefined;
    },
    dismiss,
  };
}

async function tryToMake(orders: () => AgentOrders): Promise<Readiness | undefined> {
  try {
    const made = await makeReady(orders());
    return 'kind' in made ? undefined : made;
  } catch {
    return undefined;
  }
}
