import type { Pulse, RecordedFact } from '../../protocol/index.ts';
import type { Display } from '../display.ts';
import { factObject } from '../output/fact-object.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Surroundings } from '../surroundings.ts';
import { createLoopStory } from './loop-story.ts';

/** Prints a loop as it happens: lines for people on stderr, or objects for programs on stdout. */
export interface LoopTeller {
  readonly print: (lines: readonly string[]) => void;
  readonly fact: (fact: RecordedFact) => void;
  /** Facts from before somebody began to watch: for people, only the last few lines. */
  readonly past: (facts: readonly RecordedFact[]) => void;
  readonly pulse: (pulse: Pulse | undefined) => void;
  /** What the loop is doing right now, on one line. */
  readonly live: (columns: number) => string | undefined;
}

/** What of a loop is printed as objects. */
export interface TellerOptions extends Display {
  /** Whether pulses are printed as objects too; with --verbose, if left out. */
  readonly pulsesAsJson?: boolean;
  /** The agent at work, for advice that depends on it. */
  readonly agentName?: string;
}

const maxPastLines = 12;

/** Prints into the surroundings. The fact that ends a loop is not printed as an object: the result is. */
export function tellLoop(
  loopId: string,
  { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>,
  { asJson, verbosity, agentName, pulsesAsJson = verbosity === 'verbose' }: TellerOptions,
): LoopTeller {
  const story = createLoopStory({ paint: paintFor(stderr), verbosity, agentName });
  const print = (lines: readonly string[]) => printLines(stderr, lines);
  const write = (object: Readonly<Record<string, unknown>>) => {
    if (verbosity !== 'quiet') stdout.write(jsonLine(object));
  };
  const tell = (fact: RecordedFact) => {
    if (!asJson) print(story.fact(fact));
    else if (fact.type !== 'loop.ended') write(factObject(loopId, fact));
  };
  return {
    print,
    fact: tell,
    past(facts) {
      if (!asJson) print(facts.flatMap(story.fact).slice(-maxPastLines));
      else for (const fact of facts) tell(fact);
    },
    pulse(pulse) {
      if (!asJson) print(story.pulse(pulse));
      else if (pulsesAsJson && pulse !== undefined) write({ type: 'pulse', ...pulse });
    },
    live: (columns) => story.live({ nowMs: Date.now(), columns }),
  };
}
