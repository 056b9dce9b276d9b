import { createRandom, mix } from '../../simulation/random.ts';
import type { Image } from '../disk/image.ts';
import type { Trace } from '../disk/trace.ts';
import { visitStates } from '../model/enumerate.ts';
import { choicesOf, type ModelName } from '../model/models.ts';
import { Replay } from '../model/replay.ts';
import { isOwed, judge } from '../oracle/judge.ts';
import { type Outcome, probe } from '../oracle/probe.ts';
import type { Subject } from '../oracle/subject.ts';
import type { Truth } from '../oracle/truth.ts';

/** Which crashes of one run to try. */
export interface CrashRun {
  readonly subject: Subject;
  readonly trace: Trace;
  readonly model: ModelName;
  readonly seed: number;
  /** With more images than this after one operation, only a random selection of this size is tried. */
  readonly cap: number;
  readonly allows?: readonly string[];
  /** Outcomes of images seen before. */
  readonly known: Map<number, Outcome>;
  /** Images counted before. */
  readonly counted: Set<number>;
  /** Only crashes after the last operation. */
  readonly atTheEnd?: boolean;
  /** Stops at the first violation. */
  readonly untilFirst?: boolean;
  /** Called for every image seen for the first time. */
  readonly onImage?: (met: MetImage) => void;
}

/** An image that a crash can leave, and the outcome of its recovery. */
export interface MetImage {
  readonly image: () => Image;
  readonly truth: Truth;
  readonly outcome: Outcome;
}

/** A broken guarantee, and how to reproduce it. */
export interface Violation {
  readonly what: string;
  readonly model: ModelName;
  /** The number of operations before the crash. */
  readonly point: number;
  readonly choice: readonly number[];
}

export interface CrashTally {
  /** All images tried, each checked against what was acknowledged at that moment. */
  readonly states: number;
  /** Distinct images among them that were not counted before. */
  readonly images: number;
  readonly violations: readonly Violation[];
}

/** Crashes after every operation of a run, into every image that the model allows, and recovers from each. */
export function runCrashes(run: CrashRun): CrashTally {
  const { subject, model, known, counted } = run;
  const before = counted.size;
  const violations: Violation[] = [];
  let states = 0;
  for (const { point, truth, choices, random } of pointsOf(run)) {
    if (run.untilFirst && violations.length > 0) break;
    states += visitStates(choices, { cap: run.cap, random }, ({ print, choice, image }) => {
      if (run.untilFirst && violations.length > 0) return;
      const isNew = !counted.has(print);
      counted.add(print);
      let outcome = known.get(print);
      if (outcome === undefined) {
        outcome = probe(subject, image(), print % 4 === 0);
        known.set(print, outcome);
      }
      const what = judge({ image, outcome, truth, model, ...(run.allows && { allows: run.allows }) });
      if (what !== undefined) violations.push({ what, model, point, choice });
      else if (isNew) run.onImage?.({ image, truth, outcome });
    });
  }
  return { states, images: counted.size - before, violations };
}

function* pointsOf({ trace, model, seed, atTheEnd }: Pick<CrashRun, 'trace' | 'model' | 'seed' | 'atTheEnd'>) {
  const replay = new Replay(trace.base);
  const stale = staleBytes(trace);
  for (const [point, truth] of trace.truths.entries()) {
    const operation = trace.operations[point - 1];
    if (operation) replay.apply(operation);
    if (atTheEnd && point < trace.operations.length) continue;
    if (!isOwed(truth, model)) continue;
    const random = createRandom(mix(seed, point));
    yield { point, truth, choices: choicesOf(model, replay, { random, stale }), random };
  }
}

// What earlier use of the same sectors may have left behind: lines of this journal.
function staleBytes({ operations }: Trace): Buffer {
  const lines = operations.flatMap((operation) =>
    operation.kind === 'write' && operation.path.endsWith('.jsonl') ? [operation.bytes] : [],
  );
  return Buffer.concat([...lines, Buffer.from('\n')]);
}
