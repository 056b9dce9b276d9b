import { evolve, idleLoop, type Loop } from '../core/index.ts';
import { configSchema, type Fact, factCatalogue, type RecordedFact } from '../protocol/index.ts';
import { createFactStream, type FactStream } from './fact-stream.ts';
import type { RunnerPorts } from './ports/runner-ports.ts';

/** The one place that writes a loop's facts: each is redacted once, made durable, folded once, and only then published. */
export interface Recorder {
  /** The loop as all recorded facts have it. */
  readonly loop: Loop;
  readonly facts: FactStream;
  /** Facts as they will be written: what is judged must be what is kept. */
  redact(facts: readonly Fact[]): readonly Fact[];
  /** Writes facts that were redacted. The snapshot follows when one of them calls for it. */
  write(redacted: readonly Fact[]): Promise<readonly RecordedFact[]>;
}

/** Goes on with a loop from where it was recovered. */
export function createRecorder(
  ports: Pick<RunnerPorts, 'loop' | 'redact' | 'observe'>,
  fold: typeof evolve = evolve,
): Recorder {
  const { loop: owned, redact, observe } = ports;
  const facts = createFactStream();
  let loop = owned.recovered.loop ?? idleLoop(configSchema.parse({}));
  return {
    facts,
    get loop() {
      return loop;
    },
    redact: (batch) => (redact === undefined ? batch : batch.map(redact)),
    async write(redacted) {
      if (redacted.length === 0) return [];
      const recorded = await owned.append(redacted);
      for (const fact of recorded) loop = fold(loop, fact);
      observe?.(recorded, loop);
      facts.publish(recorded);
      if (recorded.some(({ type }) => factCatalogue[type].saves)) await owned.save(loop);
      return recorded;
    },
  };
}
