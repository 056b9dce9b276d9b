import { configSchema, type RecordedFact } from '../protocol/index.ts';
import type { FollowOptions } from '../runner/index.ts';
import { createFileEventBus } from './adapters/file-event-bus.ts';
import { redactorFor, showFact } from './adapters/redact-facts.ts';
import type { AppContext } from './agent-programs.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** Where a loop is, and whose secrets are taken out of what is shown. */
export interface Followed {
  readonly loopId: string;
  readonly root: LoopPlace['root'];
  readonly context: AppContext;
}

/** The facts of a loop, past ones and those to come, without secrets. Ends with the loop, or when the signal aborts. */
export async function* followLoop(
  { loopId, root, context }: Followed,
  options: FollowOptions = {},
): AsyncGenerator<RecordedFact, void> {
  const { env } = context;
  let redactor = redactorFor(env);
  for await (const fact of createFileEventBus(openStore({ root })).follow(loopId, options)) {
    // Only these show what a loop sets for its agent and its prompt; all others were redacted when they were written.
    if (fact.type === 'loop.started' || fact.type === 'config.changed') {
      const { success, data } = configSchema.safeParse(fact.data.config);
      if (success) redactor = redactorFor(env, data);
    }
    yield showFact(fact, redactor);
  }
}
