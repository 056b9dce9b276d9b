import { rot } from '../harness/bit-rot.ts';
import { runCrashes } from '../harness/crash-run.ts';
import { recoveryOf } from '../harness/suite.ts';
import { sweep } from '../harness/sweep.ts';
import { type ModelName, modelNames } from '../model/models.ts';
import type { Image } from '../disk/image.ts';
import type { Subject } from '../oracle/subject.ts';
import type { Truth } from '../oracle/truth.ts';
import { played, type Scenario, scenarios } from '../scenarios/scenarios.ts';
import type { Mutant } from './mutant.ts';

/** Which harness noticed a planted bug, and by what. */
export interface Catch {
  readonly bug: string;
  readonly by?: 'the scenario itself' | 'crashes' | 'crashes in recovery' | 'failing calls' | 'bit rot';
  readonly what?: string;
}

const cap: Readonly<Record<ModelName, number>> = { ordered: 40, 'ext4-like': 40, weak: 60 };

/** Lets every harness look for a planted bug, in small portions, until one finds it. */
export function hunt({ bug, on, subject }: Mutant): Catch {
  const planted = subject();
  const order = scenarios.toSorted((a, b) => Number(b.name === on) - Number(a.name === on));
  for (const scenario of order) {
    const found = crash(planted, scenario);
    if (found) return { bug, ...found };
  }
  const rotten = rot({ subject: planted, bytes: 1500, untilFirst: true }).flatMap((row) => row.violations);
  if (rotten[0] !== undefined) return { bug, by: 'bit rot', what: rotten[0] };
  for (const scenario of order) {
    const [failed] = sweep(scenario, { subject: planted, isQuick: true, untilFirst: true }).violations;
    if (failed) return { bug, by: 'failing calls', what: `${scenario.name}: ${failed.what}` };
  }
  return { bug };
}

function crash(subject: Subject, scenario: Scenario): Omit<Catch, 'bug'> | undefined {
  const { name, allows = [] } = scenario;
  const met: { image: Image; truth: Truth }[] = [];
  const known = new Map();
  const run = (trace: Parameters<typeof runCrashes>[0]['trace'], isFirst: boolean) => {
    for (const model of modelNames) {
      const onImage = ({ image, truth }: { image: () => Image; truth: Truth }) => void met.push({ image: image(), truth });
      const tally = runCrashes({
        ...{ subject, trace, model, seed: 1, cap: cap[model], known, counted: new Set(), untilFirst: true },
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
