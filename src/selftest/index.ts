import { runScenarios, type SelftestOptions, type SelftestReport, type SelftestRow } from './run.ts';
import type { Scenario } from './scenario.ts';
import { damage } from './scenarios/damage.ts';
import { disk } from './scenarios/disk.ts';
import { gate } from './scenarios/gate.ts';
import { hang } from './scenarios/hang.ts';
import { kills } from './scenarios/kills.ts';
import { liar } from './scenarios/liar.ts';
import { limit } from './scenarios/limit.ts';
import { owners } from './scenarios/owners.ts';
import { sync } from './scenarios/sync.ts';

export type { SelftestOptions, SelftestReport, SelftestRow };

// The longest first, so that two at a time end together.
const scenarios: readonly Scenario[] = [limit, kills, hang, damage, liar, disk, gate, owners, sync];

/** The names of all scenarios. */
export const scenarioNames: readonly string[] = scenarios.map(({ name }) => name);

/** Puts ralphd itself to the test on this machine: all scenarios, or those with the given names. */
export async function runSelftest(names: readonly string[], options: SelftestOptions): Promise<SelftestReport> {
  return await runScenarios(
    scenarios.filter(({ name }) => names.length === 0 || names.includes(name)),
    options,
  );
}
