import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { boundMutants } from './bound-mutants.ts';
import { budgetMutants } from './budget-mutants.ts';
import { conditionMutants } from './condition-mutants.ts';
import { decisionMutants } from './decision-mutants.ts';
import { evidenceMutants } from './evidence-mutants.ts';
import { guidanceMutants } from './guidance-mutants.ts';
import { type Mutant, mutants } from './mutants.ts';
import { progressMutants } from './progress-mutants.ts';
import { loopSeed } from './random.ts';
import { sessionMutants } from './session-mutants.ts';
import { simulateLoop } from './simulate.ts';
import { tamperingMutants } from './tampering-mutants.ts';

/** The seed of the loops that must detect the planted bugs. */
export const masterSeed = 20_260_101;

/** All bugs planted in the rules. */
export const planted: readonly Mutant[] = [
  ...mutants,
  ...guidanceMutants,
  ...budgetMutants,
  ...boundMutants,
  ...decisionMutants,
  ...tamperingMutants,
  ...evidenceMutants,
  ...conditionMutants,
  ...progressMutants,
  ...sessionMutants,
];

// More than the tests simulate without a bug: a rare situation may need them, and the record says where to look first.
const maxLoops = 5_000;
const recordFile = path.join(import.meta.dirname, 'noticed-by.json');
const record = JSON.parse(readFileSync(recordFile, 'utf8')) as Readonly<Record<string, number>>;

/**
 * The number of a loop that fails with the bug and succeeds without it; undefined if there is none. Starts with the
 * recorded loop; an outdated record only makes the search longer.
 */
export async function noticedBy(mutant: Mutant): Promise<number | undefined> {
  const recorded = record[mutant.bug];
  if (recorded !== undefined && (await isNoticed(mutant, recorded))) return recorded;
  return await firstToNotice(mutant);
}

/** Finds the first loop that detects each planted bug and records it. Returns the bugs that no loop detects. */
export async function recordNoticed(): Promise<readonly string[]> {
  const found: [bug: string, loop: number | undefined][] = [];
  for (const mutant of planted) found.push([mutant.bug, await firstToNotice(mutant)]);
  writeFileSync(recordFile, `${JSON.stringify(Object.fromEntries(found), null, 2)}\n`);
  return found.flatMap(([bug, loop]) => (loop === undefined ? [bug] : []));
}

async function firstToNotice(mutant: Mutant): Promise<number | undefined> {
  for (let loop = 0; loop < maxLoops; loop += 1) if (await isNoticed(mutant, loop)) return loop;
  return undefined;
}

async function isNoticed({ rules }: Mutant, loop: number): Promise<boolean> {
  const seed = loopSeed(masterSeed, loop);
  if ((await simulateLoop({ seed, rules })).violation === undefined) return false;
  return (await simulateLoop({ seed })).violation === undefined;
}
