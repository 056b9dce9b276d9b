import { configSchema, type RecordedFact } from '../protocol/index.ts';
import type { FollowOptions } from '../runner/index.ts';
import { readFactsOfLoop } from '../store/index.ts';
import { createFileEventBus } from './adapters/file-event-bus.ts';
import { typedFact } from './adapters/fold-state.ts';
import { redactorFor, showFact } from './adapters/redact-facts.ts';
import type { AppContext } from './agent-programs.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** Where a loop is, and whose secrets are redacted. */
export interface Followed {
  readonly loopId: string;
  readonly root: LoopPlace['root'];
  readonly context: AppContext;
}

/** The past and future facts of a loop, redacted. Ends with the loop, or when the signal aborts. */
export function followLoop(followed: Followed, options: FollowOptions = {}): AsyncGenerator<RecordedFact, void> {
  const { loopId, root } = followed;
  return withoutSecrets(followed, createFileEventBus(openStore({ root })).follow(loopId, options));
}

/** The facts of a loop so far, redacted; only those of some types, if these are given, which is quicker. */
export function readLoopFacts(
  followed: Followed,
  afterSeq: number,
  types?: ReadonlySet<string>,
): AsyncGenerator<RecordedFact, void> {
  return withoutSecrets(followed, factsOnDisk(followed, afterSeq, types));
}

function* factsOnDisk({ loopId, root }: Followed, afterSeq: number, types?: ReadonlySet<string>) {
  for (const entry of readFactsOfLoop(openStore({ root }).place(loopId), afterSeq)) {
    if (types?.has(entry.type) !== false) yield typedFact(loopId, entry);
  }
}

async function* withoutSecrets(
  { context: { env } }: Followed,
  facts: AsyncIterable<RecordedFact> | Iterable<RecordedFact>,
): AsyncGenerator<RecordedFact, void> {
  let redactor = redactorFor(env);
  for await (const fact of facts) {
    // Only these contain the configuration; all others were redacted when they were written.
    if (fact.type === 'loop.started' || fact.type === 'config.changed') {
      const { success, data } = configSchema.safeParse(fact.data.config);
      if (success) redactor = redactorFor(env, data);
    }
    yield showFact(fact, redactor);
  }
}
