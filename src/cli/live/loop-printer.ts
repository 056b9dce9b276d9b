import type { Pulse, RecordedFact } from '../../protocol/index.ts';
import type { Display } from '../display.ts';
import { factObject } from '../output/fact-object.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Surroundings } from '../surroundings.ts';
import { createLoopLines } from './loop-lines.ts';

/** Prints a loop live: lines for people on stderr, or objects for programs on stdout. */
export interface LoopPrinter {
  readonly print: (lines: readonly string[]) => void;
  readonly fact: (fact: RecordedFact) => void;
  /** Facts recorded before the watch began; people get only the last few lines. */
  readonly past: (facts: readonly RecordedFact[]) => void;
  readonly pulse: (pulse: Pulse | undefined) => void;
  /** What the loop is doing right now, on one line. */
  readonly live: (columns: number) => string | undefined;
}

/** How the loop is printed. */
export interface LoopPrinterOptions extends Display {
  /** Whether pulses are printed as objects too; by default only with --verbose. */
  readonly pulsesAsJson?: boolean;
  /** The agent at work, for advice that depends on it. */
  readonly agentName?: string;
}

const maxPastLines = 12;

/** Prints to the given streams. With --json the final fact is omitted, because the result follows. */
export function createLoopPrinter(
  loopId: string,
  { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>,
  { asJson, verbosity, agentName, pulsesAsJson = verbosity === 'verbose' }: LoopPrinterOptions,
): LoopPrinter {
  const loopLines = createLoopLines({ paint: paintFor(stderr), verbosity, agentName });
  const print = (lines: readonly string[]) => printLines(stderr, lines);
  const write = (object: Readonly<Record<string, unknown>>) => {
    if (verbosity !== 'quiet') stdout.write(jsonLine(object));
  };
  const printFact = (fact: RecordedFact) => {
    if (!asJson) print(loopLines.fact(fact));
    else if (fact.type !== 'loop.ended') write(factObject(loopId, fact));
  };
  return {
    print,
    fact: printFact,
    past(facts) {
      if (!asJson) print(facts.flatMap(loopLines.fact).slice(-maxPastLines));
      else for (const fact of facts) printFact(fact);
    },
    pulse(pulse) {
      if (!asJson) print(loopLines.pulse(pulse));
      else if (pulsesAsJson && pulse !== undefined) write({ type: 'pulse', ...pulse });
    },
    live: (columns) => loopLines.live({ nowMs: Date.now(), columns }),
  };
}
