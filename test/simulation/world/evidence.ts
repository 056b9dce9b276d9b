import type { Check, Obstacle, ProofLevel, TestCounts, Verdict } from '../../../src/protocol/index.ts';
import { createRandom, mix } from '../random.ts';
import { type Behaviour, countTests, measureWork, verdictOf } from './script.ts';
import type { World } from './world.ts';

const codes = ['CLEAN_NESTED_REPOSITORY', 'CLEAN_NO_REPOSITORY'] as const;

/** The result of one run of the checks, as the real gate reports it, before any judgement. */
export interface Evidence {
  readonly verdict: Verdict;
  readonly checks: Check[];
  readonly tests?: TestCounts;
  readonly measures?: ReturnType<typeof measureWork>[number][];
  readonly proof?: ProofLevel;
  readonly obstacle?: Obstacle;
}

/** Runs the checks of a world; iteration 0 is the baseline. */
export function evidenceOf(world: World, key: readonly [number, number]): Evidence {
  const obstacle = obstacleOf(world, key);
  if (obstacle !== undefined) return { ...reportOf(world, 'unverifiable'), ...proofOf(world), obstacle };
  const verdict = brokenAtStart(world, key) ?? verdictOf(world.seed, key, world.fixed);
  return { ...reportOf(world, verdict === 'failed' ? hidden(world) : verdict), ...proofOf(world) };
}

/** The same checks with another verdict: only checks that finish count tests. */
export function reportOf(world: World, verdict: Verdict): Evidence {
  const hasCounted = verdict === 'passed' || verdict === 'failed' || verdict === 'contradicted';
  const tests = hasCounted ? countTests(world.seed, world.failing, world.addedTests) : undefined;
  const checks = world.setting.checks.map((command) => ({ command, verdict, durationMs: 1_000, output: 'said this' }));
  const measures = tests === undefined ? {} : { measures: [...measureWork(world.seed, world.failing)] };
  return { verdict, checks, ...(tests === undefined ? {} : { tests }), ...measures };
}

/** Some checks hide the exit code of their tests: then only the counts show that the task is not done. */
function hidden({ seed, failing, addedTests, rules }: World): Verdict {
  const report = countTests(seed, failing, addedTests);
  if (mix(seed, 24) % 4 !== 0 || report === undefined || report.failed === 0) return 'failed';
  return rules.checkVerdict({ ending: { kind: 'exited', code: 0 }, inShell: true, report });
}

/** In some loops the checks cannot judge anything at the start; by the next try, somebody may have fixed them. */
function brokenAtStart({ seed }: World, [iteration, tries]: readonly [number, number]): Verdict | undefined {
  if (iteration > 0 || mix(seed, 29) % 5 !== 0) return undefined;
  const random = createRandom(mix(seed, 30, tries));
  return random.chance(0.6) ? random.pick(['timed_out', 'not_found', 'not_executable', 'unverifiable']) : undefined;
}

/** In some loops an obstacle keeps the checks from running, now and then or always; no agent can fix it. */
function obstacleOf({ seed }: World, key: readonly [number, number]): Obstacle | undefined {
  if (mix(seed, 25) % 4 !== 0) return undefined;
  const random = createRandom(mix(seed, 26, ...key));
  if (!random.chance(key[0] === 0 ? 0.1 : 0.7)) return undefined;
  return {
    code: random.pick(codes),
    message: 'lib is in the way',
    fix: 'Move lib.',
  };
}

/** Where the checks ran, derived from the seed; gates of the first releases do not record it. */
function proofOf({ seed }: World): { readonly proof?: ProofLevel } {
  const level = (['tree', 'clean', 'sealed', undefined] as const)[mix(seed, 27) % 4];
  return level === undefined ? {} : { proof: level };
}

/** How many files differ from the start of the loop; unknown in some loops. */
export function changedFilesOf({ seed, changedFiles }: World): { readonly changedFiles?: number } {
  return mix(seed, 23) % 8 === 0 ? {} : { changedFiles };
}

/**
 * What a run does to the files; safe to repeat. A run that fixes the task changes some files, in half of the loops only
 * ignored ones; a run that undoes the fix may restore all of them.
 */
export function changeFiles(world: World, { fixes, run }: Behaviour, key: readonly [number, number]): void {
  const random = createRandom(mix(world.seed, 28, ...key));
  const isIgnored = fixes === true && mix(world.seed, 31) % 2 === 0;
  if (!isIgnored && (run.changes.count > 0 || fixes === true)) world.changedFiles = Math.max(1, run.changes.count);
  if (fixes === false && random.chance(0.6)) world.changedFiles = 0;
  if (run.changes.count > 0 && random.chance(0.2)) world.addedTests = 2;
}
