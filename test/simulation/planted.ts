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
import { simulateLoop } from './simulate.ts';
import { tamperingMutants } from './tampering-mutants.ts';

/** The seed of the loops in which planted bugs must be noticed. */
export const masterSeed = 20_260_101;

/** Every bug planted in the rules. */
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
];

// As many as the tests simulate without a bug.
const maxLoops = 2_000;
const recordFile = path.join(import.meta.dirname, 'noticed-by.json');
const record = JSON.parse(readFileSync(recordFile, 'utf8')) as Readonly<Record<string, number>>;

/**
 * The number of a loop that goes wrong with a bug and well without it; undefined if no loop does. The loop that noticed
 * it when that was last recorded comes first: with an outdated record the search only takes longer.
 */
export async function noticedBy(mutant: Mutant): Promise<number | undefined> {
  const recorded = record[mutant.bug];
  if (recorded !== undefined && (await isNoticed(mutant, recorded))) return recorded;
  return await firstToNotice(mutant);
}

/** Searches for every planted bug and records which loop notices it first. Returns the bugs that none notices. */
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
