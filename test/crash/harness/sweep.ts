import type { Fault } from '../disk/faults.ts';
import type { Image } from '../disk/image.ts';
import type { Trace } from '../disk/trace.ts';
import { imagePrint } from '../model/fingerprint.ts';
import { judge } from '../oracle/judge.ts';
import { type Outcome, probe } from '../oracle/probe.ts';
import { anew, type Subject, subjectFor } from '../oracle/subject.ts';
import { Broken } from '../scenarios/play.ts';
import { played, type Scenario } from '../scenarios/scenarios.ts';
import { type CrashRun, runCrashes } from './crash-run.ts';

// Errors that any call can return.
const refusals: readonly Fault[] = ['ENOSPC', 'EROFS', 'EACCES', 'EMFILE', 'EDQUOT'];
// Ways to spoil a write; on any other call these are EIO.
const spoiledWrites: readonly Fault[] = ['SHORT', 'TORN'];
const faults: readonly Fault[] = ['EIO', ...refusals, ...spoiledWrites];

const changes = new Set(['makeFolder', 'create', 'write', 'sync', 'syncData', 'syncFolder', 'rename', 'remove']);

/** The result of failing every call of one scenario. */
export interface SweepTally {
  readonly scenario: string;
  /** How many calls the scenario makes when nothing fails. */
  readonly calls: number;
  /** How often it was played. */
  readonly plays: number;
  readonly violations: readonly { readonly what: string; readonly call: number; readonly fault: Fault }[];
}

export interface SweepOptions {
  readonly subject: Subject;
  /** Tries EIO and one other error per call, in rotation; in a long scenario, only some calls of each name. */
  readonly isQuick?: boolean;
  readonly untilFirst?: boolean;
}

/** Plays a scenario once for every call and every fault, with that one call failing. */
export function sweep(scenario: Scenario, options: SweepOptions): SweepTally {
  const { isQuick, untilFirst } = options;
  const subject = subjectFor(scenario, options.subject);
  const calls = callsOf(scenario, subject);
  const stride = isQuick ? Math.ceil(calls.length / (scenario.isGuarded ? 60 : 150)) : 1;
  const violations: { what: string; call: number; fault: Fault }[] = [];
  const outcomes: Outcomes = { left: new Map(), afterPowerCut: new Map() };
  let plays = 0;
  for (const { call, fault } of isQuick || scenario.isGuarded ? someFailures(calls, stride) : allFailures(calls)) {
    if (untilFirst && violations.length > 0) break;
    plays += 1;
    const what = playWith(scenario, subject, { call, fault, outcomes });
    if (what !== undefined) violations.push({ what, call, fault });
  }
  return { scenario: scenario.name, calls: calls.length, plays, violations };
}

// The calls of a scenario with no other failures than its own.
function callsOf(scenario: Scenario, subject: Subject): readonly Call[] {
  const calls: Call[] = [];
  played(scenario, anew(subject, 'failing'), { plan: ({ name, index }) => void calls.push({ name, index }) });
  return calls;
}

function* allFailures(calls: readonly Call[]): Generator<Failure> {
  for (const { index } of calls) for (const fault of faults) yield { call: index, fault };
}

// EIO and one other error, in rotation for each name, at every nth call of that name; for a write, also the ways to
// spoil it.
function* someFailures(calls: readonly Call[], stride: number): Generator<Failure> {
  const made = new Map<string, number>();
  for (const { name, index } of calls) {
    const before = made.get(name) ?? 0;
    made.set(name, before + 1);
    if (before % stride > 0) continue;
    const refusal = refusals[(before / stride) % refusals.length] ?? 'ENOSPC';
    for (const fault of ['EIO', refusal, ...(name === 'write' ? spoiledWrites : [])]) yield { call: index, fault };
  }
}

interface Call {
  readonly name: string;
  readonly index: number;
}

interface Failure {
  readonly call: number;
  readonly fault: Fault;
}

interface Failing extends Failure {
  readonly outcomes: Outcomes;
}

/** The recovery outcomes of images left by earlier failures of the same scenario: many calls leave the same image. */
interface Outcomes {
  readonly left: Map<number, Outcome>;
  /** Separate, because not all of these are probed thoroughly. */
  readonly afterPowerCut: Map<number, Outcome>;
}

function playWith(scenario: Scenario, subject: Subject, { call, fault, outcomes }: Failing): string | undefined {
  try {
    let isChange = false;
    const stage = played(scenario, anew(subject, 'failing'), {
      plan({ name, index }) {
        if (index !== call) return undefined;
        isChange = changes.has(name);
        return fault;
      },
    });
    stage.close();
    if (stage.leaked > 0) return `${stage.leaked} descriptors were left open`;
    const image = stage.tape.disk.image();
    const truth = stage.tape.truth();
    const allows = ['journal_behind', ...(scenario.allows ?? [])];
    const outcome = outcomeOf(subject, image, outcomes.left);
    const wrong = judge({ image: () => image, outcome, truth, model: 'weak', allows });
    if (wrong !== undefined || fault !== 'EIO' || !isChange) return wrong;
    return powerCut(stage.tape.trace, { subject, allows, known: outcomes.afterPowerCut });
  } catch (error) {
    if (error instanceof Broken) return error.message;
    return `not one of our failures: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function outcomeOf(subject: Subject, image: Image, known: Map<number, Outcome>): Outcome {
  const print = imagePrint(image);
  const outcome = known.get(print) ?? probe(subject, image);
  known.set(print, outcome);
  return outcome;
}

// Power fails right after the faulty call: everything acknowledged despite the fault must still be there.
function powerCut(trace: Trace, how: Pick<CrashRun, 'subject' | 'allows' | 'known'>): string | undefined {
  const counted = new Set<number>();
  return runCrashes({ trace, ...how, model: 'weak', seed: 1, cap: 4, counted, atTheEnd: true }).violations[0]?.what;
}
