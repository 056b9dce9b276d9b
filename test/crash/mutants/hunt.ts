import type { Image } from '../disk/image.ts';
import { rot } from '../harness/bit-rot.ts';
import { runCrashes } from '../harness/crash-run.ts';
import { quickCaps, recoveryOf } from '../harness/suite.ts';
import { sweep } from '../harness/sweep.ts';
import { modelNames } from '../model/models.ts';
import type { Outcome } from '../oracle/probe.ts';
import { type Subject, subjectFor } from '../oracle/subject.ts';
import type { Truth } from '../oracle/truth.ts';
import { played, type Scenario, scenarios } from '../scenarios/scenarios.ts';
import type { Mutant } from './mutant.ts';

/** Which harness detected a planted bug, and how. */
export interface Catch {
  readonly bug: string;
  readonly by?: 'the scenario itself' | 'crashes' | 'crashes in recovery' | 'failing calls' | 'bit rot';
  readonly what?: string;
}

/** Runs every harness on a planted bug, in small portions, until one detects it. */
export function hunt({ bug, on, subject }: Mutant): Catch {
  const planted = subject();
  const isFirst = ({ name }: Scenario) => on?.endsWith(name) === true;
  const order = scenarios.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  const hunters = [
    ...order.map((scenario) => ({ on: scenario.name, look: () => crash(planted, scenario) })),
    { on: 'bit rot', look: () => decay(planted) },
    ...order.map((scenario) => ({ on: `failing calls: ${scenario.name}`, look: () => fail(planted, scenario) })),
  ];
  for (const { look } of hunters.toSorted((a, b) => Number(b.on === on) - Number(a.on === on))) {
    const found = look();
    if (found) return { bug, ...found };
  }
  return { bug };
}

function decay(subject: Subject): Omit<Catch, 'bug'> | undefined {
  const [what] = rot({ subject, bytes: 2500, isQuick: true, untilFirst: true }).flatMap((row) => row.violations);
  return what === undefined ? undefined : { by: 'bit rot', what };
}

function fail(subject: Subject, scenario: Scenario): Omit<Catch, 'bug'> | undefined {
  const [failed] = sweep(scenario, { subject, isQuick: true, untilFirst: true }).violations;
  return failed && { by: 'failing calls', what: `${scenario.name}: ${failed.what}` };
}

function crash(planted: Subject, scenario: Scenario): Omit<Catch, 'bug'> | undefined {
  const subject = subjectFor(scenario, planted);
  const { name, allows = [] } = scenario;
  const met: { image: Image; truth: Truth }[] = [];
  const known = new Map<number, Outcome>();
  const run = (trace: Parameters<typeof runCrashes>[0]['trace'], isFirst: boolean) => {
    for (const model of modelNames) {
      const onImage = ({ image, truth }: { image: () => Image; truth: Truth }) =>
        void met.push({ image: image(), truth });
      const tally = runCrashes({
        subject,
        trace,
        model,
        seed: 1,
        cap: quickCaps[model],
        known,
        counted: new Set(),
        untilFirst: true,
        allows: isFirst ? allows : [...allows, 'corruption'],
        ...(isFirst && { onImage }),
      });
      const [violation] = tally.violations;
      if (violation) return `${name}, ${model}: ${violation.what}`;
    }
    return undefined;
  };
  try {
    const what = run(played(scenario, subject).tape.trace, true);
    if (what !== undefined) return { by: 'crashes', what };
    for (const image of met.slice(0, 400).filter((_, index) => index % 40 === 0)) {
      const again = run(recoveryOf(subject, image), false);
      if (again !== undefined) return { by: 'crashes in recovery', what: again };
    }
  } catch (error) {
    return { by: 'the scenario itself', what: `${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
  return undefined;
}
