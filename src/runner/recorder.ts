import { evolve, idleLoop, type Loop } from '../core/index.ts';
import { defaultConfig, type Fact, factCatalogue, type RecordedFact } from '../protocol/index.ts';
import { createFactStream, type FactStream } from './fact-stream.ts';
import type { RunnerPorts } from './ports/runner-ports.ts';

/** The only writer of a loop's facts: each is redacted once, made durable, folded once, and then published. */
export interface Recorder {
  /** The loop after all recorded facts. */
  readonly loop: Loop;
  readonly facts: FactStream;
  /** Redacts facts, so that what is judged is what is written. */
  redact(facts: readonly Fact[]): readonly Fact[];
  /** Writes redacted facts, and the snapshot if one of them requires it. */
  write(redacted: readonly Fact[]): Promise<readonly RecordedFact[]>;
}

/** Continues a loop from its recovered state. */
export function createRecorder(
  ports: Pick<RunnerPorts, 'loop' | 'redact' | 'observe'>,
  fold: typeof evolve = evolve,
): Recorder {
  const { loop: owned, redact, observe } = ports;
  const facts = createFactStream();
  let loop = owned.recovered.loop ?? idleLoop(defaultConfig());
  return {
    facts,
    get loop() {
      return loop;
    },
    redact: (batch) => (redact === undefined ? batch : batch.map(redact)),
    async write(redacted) {
      if (redacted.length === 0) return [];
      const recorded = await owned.append(redacted);
      for (const part of byIteration(recorded)) {
        for (const fact of part) loop = fold(loop, fact);
        observe?.(part, loop);
      }
      facts.publish(recorded);
      if (recorded.some(({ type }) => factCatalogue[type].saves)) await owned.save(loop);
      return recorded;
    },
  };
}

/** What ends an iteration may be written together with what begins the next, but is observed before it. */
function byIteration(recorded: readonly RecordedFact[]): readonly (readonly RecordedFact[])[] {
  const next = recorded.findIndex(({ type }) => type === 'iteration.started');
  return next <= 0 ? [recorded] : [recorded.slice(0, next), recorded.slice(next)];
}
