import type { Check, Obstacle, ProofLevel, TestCounts, Verdict } from '../../../src/protocol/index.ts';
import { createRandom, mix } from '../random.ts';
import { type Behaviour, countTests, measureWork, verdictOf } from './script.ts';
import type { World } from './world.ts';

const codes = ['CLEAN_NESTED_REPOSITORY', 'CLEAN_NO_REPOSITORY'] as const;

/** What one run of the checks shows, as the real gate reports it and not as it should be judged. */
export interface Evidence {
  readonly verdict: Verdict;
  readonly checks: Check[];
  readonly tests?: TestCounts;
  readonly measures?: ReturnType<typeof measureWork>[number][];
  readonly proof?: ProofLevel;
  readonly obstacle?: Obstacle;
}

/** Runs the checks of a world: in the baseline with iteration 0. */
export function evidenceOf(world: World, key: readonly [number, number]): Evidence {
  const obstacle = obstacleOf(world, key);
  if (obstacle !== undefined) return { ...reportOf(world, 'unverifiable'), ...proofOf(world), obstacle };
  const verdict = brokenAtStart(world, key) ?? verdictOf(world.seed, key, world.fixed);
  return { ...reportOf(world, verdict === 'failed' ? hidden(world) : verdict), ...proofOf(world) };
}

/** The same checks with another verdict: only those that ran to their end count tests. */
export function reportOf(world: World, verdict: Verdict): Evidence {
  const hasCounted = verdict === 'passed' || verdict === 'failed' || verdict === 'contradicted';
  const tests = hasCounted ? countTests(world.seed, world.failing, world.addedTests) : undefined;
  const checks = world.setting.checks.map((command) => ({ command, verdict, durationMs: 1_000, output: 'said this' }));
  const measures = tests === undefined ? {} : { measures: [...measureWork(world.seed, world.failing)] };
  return { verdict, checks, ...(tests === undefined ? {} : { tests }), ...measures };
}

/** Some checks hide the exit code of their tests: then only what they count tells that the task is not done. */
function hidden({ seed, failing, addedTests, rules }: World): Verdict {
  const report = countTests(seed, failing, addedTests);
  if (mix(seed, 24) % 4 !== 0 || report === undefined || report.failed === 0) return 'failed';
  return rules.checkVerdict({ ending: { kind: 'exited', code: 0 }, inShell: true, report });
}

/** In some loops the checks cannot judge anything when the loop starts, and somebody may have fixed them at the next try. */
function brokenAtStart({ seed }: World, [iteration, tries]: readonly [number, number]): Verdict | undefined {
  if (iteration > 0 || mix(seed, 29) % 5 !== 0) return undefined;
  const random = createRandom(mix(seed, 30, tries));
  return random.chance(0.6) ? random.pick(['timed_out', 'not_found', 'not_executable', 'unverifiable']) : undefined;
}

/** In some loops something keeps the checks from running, now and then or always; no agent can do anything about it. */
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

/** Where the checks ran, by the seed; gates of the first releases do not say. */
function proofOf({ seed }: World): { readonly proof?: ProofLevel } {
  const level = (['tree', 'clean', 'sealed', undefined] as const)[mix(seed, 27) % 4];
  return level === undefined ? {} : { proof: level };
}

/** How many files differ from when the loop began; in some loops nobody can tell. */
export function changedFilesOf({ seed, changedFiles }: World): { readonly changedFiles?: number } {
  return mix(seed, 23) % 8 === 0 ? {} : { changedFiles };
}

/**
 * What a run does to the files, once or again: what fixes the task has changed some, in half of the loops only ignored ones,
 * and what undoes it may put all back.
 */
export function changeFiles(world: World, { fixes, run }: Behaviour, key: readonly [number, number]): void {
  const random = createRandom(mix(world.seed, 28, ...key));
  const isIgnored = fixes === true && mix(world.seed, 31) % 2 === 0;
  if (!isIgnored && (run.changes.count > 0 || fixes === true)) world.changedFiles = Math.max(1, run.changes.count);
  if (fixes === false && random.chance(0.6)) world.changedFiles = 0;
  if (run.changes.count > 0 && random.chance(0.2)) world.addedTests = 2;
}
