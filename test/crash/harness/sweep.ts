import type { Fault } from '../disk/faults.ts';
import { judge } from '../oracle/judge.ts';
import { probe } from '../oracle/probe.ts';
import { type Subject, subjectFor } from '../oracle/subject.ts';
import { Broken } from '../scenarios/play.ts';
import { played, type Scenario } from '../scenarios/scenarios.ts';
import { runCrashes } from './crash-run.ts';

// What a disk can say to any call, and what can happen to a write.
const faults: readonly Fault[] = ['EIO', 'ENOSPC', 'EROFS', 'EACCES', 'EMFILE', 'EDQUOT', 'SHORT', 'TORN'];

const changes = new Set(['makeFolder', 'create', 'write', 'sync', 'syncData', 'syncFolder', 'rename', 'remove']);

/** One scenario in which every single call failed once. */
export interface SweepTally {
  readonly scenario: string;
  /** How many calls the scenario makes when nothing fails. */
  readonly calls: number;
  /** How often it was played. */
  readonly plays: number;
  readonly violations: readonly { readonly what: string; readonly call: number; readonly fault: Fault }[];
}

/** How the sweep is done. */
export interface SweepOptions {
  readonly subject: Subject;
  /** Tries EIO and one other fault, a different one each time, instead of all; not for each call of a long life. */
  readonly isQuick?: boolean;
  readonly untilFirst?: boolean;
}

/** Plays a scenario as often as it makes calls, and lets another one fail each time; in every way. */
export function sweep(scenario: Scenario, options: SweepOptions): SweepTally {
  const { isQuick, untilFirst } = options;
  const subject = subjectFor(scenario, options.subject);
  const { calls } = played(scenario, subject);
  const violations: { what: string; call: number; fault: Fault }[] = [];
  let plays = 0;
  // Guarded lives are long: two faults for each call, in passing not for each.
  const stride = isQuick && scenario.isGuarded ? Math.ceil(calls / 200) : 1;
  for (let call = 1; call <= calls; call += stride) {
    for (const fault of isQuick || scenario.isGuarded ? ['EIO', faults[1 + (call % 7)] ?? 'EIO'] : faults) {
      if (untilFirst && violations.length > 0) break;
      plays += 1;
      const what = playWith(scenario, subject, { call, fault });
      if (what !== undefined) violations.push({ what, call, fault });
    }
  }
  return { scenario: scenario.name, calls, plays, violations };
}

function playWith(
  scenario: Scenario,
  subject: Subject,
  { call, fault }: { readonly call: number; readonly fault: Fault },
): string | undefined {
  try {
    let isChange = false;
    const stage = played(scenario, subject, {
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
    const wrong = judge({ image: () => image, outcome: probe(subject, image), truth, model: 'weak', allows });
    if (wrong !== undefined || fault !== 'EIO' || !isChange) return wrong;
    return powerCut(stage.tape.trace, subject, allows);
  } catch (error) {
    if (error instanceof Broken) return error.message;
    return `not one of our failures: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

// The power goes right after the failure: what was acknowledged in spite of it must still be there.
function powerCut(trace: Parameters<typeof runCrashes>[0]['trace'], subject: Subject, allows: readonly string[]) {
  const how = { model: 'weak', seed: 1, cap: 4, known: new Map(), counted: new Set<number>(), atTheEnd: true } as const;
  return runCrashes({ subject, trace, allows, ...how }).violations[0]?.what;
}
