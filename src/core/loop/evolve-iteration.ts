import { boundText } from '../../base/index.ts';
import type { FactData, Measure, Obstacle, Progress, TestCounts } from '../../protocol/index.ts';
import { brokenBaselineMessage, isBrokenBaseline, obstacleMessage } from '../gate/baseline.ts';
import { guardId } from '../gate/guard-id.ts';
import { verdictOf } from '../gate/verdict.ts';
import { wasLost } from '../judge/classify.ts';
import { rememberMeasures } from '../judge/measures.ts';
import { betterOf } from '../judge/quality.ts';
import { rememberChecks, rememberTests } from '../judge/test-memory.ts';
import { nextTestFailureStreak } from '../judge/test-streak.ts';
import type { CurrentAttempt, GateResult } from './attempt.ts';
import {
  type Change,
  type Envelope,
  endSession,
  spendTime,
  withoutOwed,
  withoutRequest,
  withoutWait,
} from './edits.ts';
import { recordExecution } from './evolve-execution.ts';
import {
  type Baseline,
  keptCompletionChecks,
  keptFiles,
  keptGuidance,
  keptScores,
  type Loop,
  longestKeptOutput,
  type Owed,
} from './loop.ts';
import { countIteration } from './stats.ts';

type IterationFact =
  | 'baseline.finished'
  | 'iteration.started'
  | 'agent.started'
  | 'agent.finished'
  | 'conditions.observed'
  | 'gate.started'
  | 'gate.finished'
  | 'iteration.finished'
  | 'iteration.interrupted';

/** What each fact about an iteration changes. A fact that does not fit the attempt under way changes nothing. */
export const iterationChanges: { readonly [Type in IterationFact]: Change<Type> } = {
  'baseline.finished': (loop, data) => {
    const { verdict, checks, obstacle, warnings, writes } = data;
    const tests = data.tests === undefined ? {} : { tests: withoutFailures(data.tests) };
    const baseline = {
      verdict,
      checks,
      ...tests,
      ...(obstacle === undefined ? {} : { obstacle }),
      ...(warnings === undefined ? {} : { warnings }),
      ...(writes === undefined ? {} : { writes }),
    };
    const testMemory = data.tests === undefined ? loop.testMemory : rememberTests(loop.testMemory, data.tests);
    const checkMemory = rememberChecks(loop.checkMemory, data.checks);
    const measures = measured(loop, data.measures, 0);
    const known = { ...withGuardsAfter(loop, data), baseline, ...tests, testMemory, checkMemory, measures };
    const checkWrites = withWrites(loop, data);
    return spendTime({ ...known, ...checkWrites, ...owedAfterBaseline(loop, baseline) }, data.elapsedMs);
  },
  'iteration.started': (loop, data, fact) => (isNextAttempt(loop, data) ? begin(loop, data, fact) : loop),
  'agent.started': (loop, data) =>
    inStage(loop, data, 'begun', (current) => ({
      ...loop,
      current: { ...current, stage: 'executing', process: data.process },
    })),
  'agent.finished': (loop, data, fact) => {
    const { current } = loop;
    if (!isCurrent(current, data) || (current.stage !== 'begun' && current.stage !== 'executing')) return loop;
    return recordExecution(loop, current, { data, at: fact.at });
  },
  'conditions.observed': (loop, data) => {
    const { current } = loop;
    if (!isCurrent(current, data) || current.stage !== 'executed' || current.isObserved) return loop;
    return { ...loop, observed: data.results, current: { ...current, isObserved: true } };
  },
  'gate.started': (loop, data) => {
    const { current } = loop;
    if (!isCurrent(current, data) || (current.stage !== 'executed' && current.stage !== 'verifying')) return loop;
    return { ...loop, phase: 'verifying', current: { ...current, stage: 'verifying' } };
  },
  'gate.finished': (loop, data, fact) =>
    inStage(loop, data, 'verifying', (current) => recordGate(loop, current, { data, at: fact.at })),
  'iteration.finished': (loop, data) => (isCurrent(loop.current, data) ? finish(loop, data) : loop),
  'iteration.interrupted': (loop, data) => (isCurrent(loop.current, data) ? interrupt(loop, data) : loop),
};

/** Files that checks wrote: to have them differ is no work of the agent. */
function withWrites({ checkWrites = [] }: Loop, { writes = [] }: { readonly writes?: readonly string[] | undefined }) {
  return writes.length === 0 ? {} : { checkWrites: [...new Set([...checkWrites, ...writes])].slice(-keptFiles) };
}

/** What the checks change themselves cannot be told from tampering. Known before the agent ran, and never later. */
function withGuardsAfter(loop: Loop, { unguarded = [], renewed = [] }: FactData<'baseline.finished'>): Loop {
  if (loop.guards === undefined || unguarded.length + renewed.length === 0) return loop;
  const other = new Set([...unguarded, ...renewed.map(guardId)]);
  return { ...loop, guards: [...loop.guards.filter((guard) => !other.has(guardId(guard))), ...renewed] };
}

/** Checks that cannot judge anything are no start, unless the task is to write or repair them. */
function owedAfterBaseline({ config, iteration }: Loop, baseline: Baseline): { readonly owed?: Owed } {
  if (iteration > 0 || config.allowBrokenBaseline || !isBrokenBaseline(baseline)) return {};
  return { owed: { cause: 'configuration', message: brokenBaselineMessage(baseline) } };
}

interface AttemptKey {
  readonly iteration: number;
  readonly attempt: number;
}

function isNextAttempt(loop: Loop, { iteration, attempt }: AttemptKey): boolean {
  if (loop.status !== 'running' || loop.current !== undefined) return false;
  if (iteration !== loop.finished + 1) return false;
  return attempt === (loop.iteration === iteration ? loop.attempt + 1 : 1);
}

function isCurrent(current: CurrentAttempt | undefined, key: AttemptKey): current is CurrentAttempt {
  return current !== undefined && current.iteration === key.iteration && current.attempt === key.attempt;
}

function inStage(
  loop: Loop,
  key: AttemptKey & { readonly [more: string]: unknown },
  stage: CurrentAttempt['stage'],
  change: (current: CurrentAttempt) => Loop,
): Loop {
  return isCurrent(loop.current, key) && loop.current.stage === stage ? change(loop.current) : loop;
}

function begin(loop: Loop, data: FactData<'iteration.started'>, fact: Envelope): Loop {
  const continues = data.session === 'continue' && loop.session !== undefined;
  const base = continues ? loop : endSession(loop, fact.at, 'iteration');
  const session = continues ? loop.session : { startedAt: fact.at, iterations: 0 };
  return spendTime(
    {
      ...withoutOwed(withoutWait(base)),
      session,
      handOff: false,
      guidance: loop.guidance.filter(({ id }) => !data.guidance.includes(id)),
      requests: withoutRequest(loop.requests, 'skip'),
      // It goes on without the fresh session that could not be had: those failures are no longer in a row.
      retries: { ...loop.retries, reboot: 0 },
      phase: 'executing',
      ...(data.start === undefined ? {} : { start: data.start }),
      iteration: data.iteration,
      attempt: data.attempt,
      current: {
        iteration: data.iteration,
        attempt: data.attempt,
        epoch: fact.epoch,
        startedAt: fact.at,
        stage: 'begun',
        delivered: { guidance: loop.guidance.filter(({ id }) => data.guidance.includes(id)), handOff: data.handOff },
      },
    },
    data.elapsedMs,
  );
}

/** A journal of the first releases says only whether there was progress. */
function withScore(scores: readonly number[], { made, score = made ? 1 : 0 }: Progress): readonly number[] {
  return made === null ? scores : [...scores, score].slice(-keptScores);
}

function recordGate(
  loop: Loop,
  current: CurrentAttempt,
  { data, at }: { readonly data: FactData<'gate.finished'>; readonly at: string },
): Loop {
  const { iteration, attempt: _attempt, ...said } = data;
  const tests = said.tests && withoutFailures(said.tests);
  const result = { ...said, verdict: verdictOf(said, loop), ...(tests === undefined ? {} : { tests }) };
  const output = data.checks.map((check) => `${check.command}: ${check.verdict}\n${check.output}`).join('\n');
  const done = {
    iteration,
    at,
    passed: result.verdict === 'passed',
    ...(result.verdict === 'unchanged' ? { isUnchanged: true as const } : {}),
    output: boundText(output, longestKeptOutput),
  };
  const treeChanged = (current.execution?.changes.count ?? 0) > 0 || current.execution?.changes.headMoved === true;
  const { obstacle: before, ...rest } = loop;
  return {
    ...rest,
    ...countObstacle(before, said.obstacle),
    current: {
      ...current,
      stage: 'verified',
      gate: result as GateResult,
      ...(loop.tests === undefined ? {} : { testsBefore: loop.tests }),
    },
    gate: { iteration, result: result as GateResult },
    ...withWrites(loop, data),
    completionChecks: [...loop.completionChecks, done].slice(-keptCompletionChecks),
    checkMemory: rememberChecks(loop.checkMemory, data.checks),
    measures: measured(loop, data.tampered === undefined ? data.measures : [], iteration),
    ...(tests === undefined ? {} : { tests }),
    ...(said.tests === undefined ? {} : { testMemory: rememberTests(loop.testMemory, said.tests, loop.tests) }),
    stats: {
      ...loop.stats,
      testsRun: loop.stats.testsRun + (tests?.total ?? 0),
      testsPassed: loop.stats.testsPassed + (tests?.passed ?? 0),
      testsFailed: loop.stats.testsFailed + (tests?.failed ?? 0),
      testFailureStreak: nextTestFailureStreak(loop.stats.testFailureStreak, {
        before: loop.tests,
        after: tests,
        verdict: result.verdict,
        treeChanged,
      }),
    },
  };
}

function countObstacle(before: Loop['obstacle'], now: Obstacle | undefined): Pick<Loop, 'obstacle'> {
  if (now === undefined) return {};
  return { obstacle: { code: now.code, gates: before?.code === now.code ? before.gates + 1 : 1 } };
}

function measured(loop: Loop, measures: readonly Measure[] | undefined, iteration: number): Loop['measures'] {
  return rememberMeasures(loop.measures, measures ?? [], { iteration, config: loop.config });
}

/** What the memory of tests keeps in its own way is not kept with every count of them. */
function withoutFailures({ failures: _failures, ...counts }: TestCounts): TestCounts {
  return counts;
}

function finish(loop: Loop, data: FactData<'iteration.finished'>): Loop {
  const { current, lastFailure, ...rest } = loop;
  const { failure, status } = data;
  // Given up before anything came of it: what the prompt was to deliver is still to be delivered.
  const unheard = status === 'skipped' && (current?.execution === undefined || wasLost(current.execution));
  const unbroken = status === 'skipped' && lastFailure !== undefined ? { lastFailure } : {};
  const matches = data.errorMatches === undefined ? {} : { matches: data.errorMatches };
  const streak = failure !== undefined && failure.signature === lastFailure?.signature ? lastFailure.streak + 1 : 1;
  return spendTime(
    {
      ...rest,
      ...(failure === undefined ? unbroken : { lastFailure: { ...failure, streak, ...matches } }),
      ...(data.matchedPattern === undefined ? {} : { matchedPattern: data.matchedPattern }),
      ...(data.completes === undefined
        ? { owed: owedAfterHooks(loop) ?? owedAfterObstacle(loop) ?? { cause: 'delay' } }
        : { earned: data.completes }),
      ...(unheard ? givenBack(loop) : {}),
      ...judged(loop, data),
      phase: 'starting',
      finished: data.iteration,
      lastProgressIteration: data.progress.made === true ? data.iteration : loop.lastProgressIteration,
      recentScores: status === 'skipped' ? loop.recentScores : withScore(loop.recentScores, data.progress),
      requests: withoutRequest(loop.requests, 'skip'),
      retries: { ...loop.retries, limit: 0, environment: 0, unknown: 0 },
      stats: countIteration(loop.stats, { status, madeProgress: data.progress.made }),
    },
    data.elapsedMs,
  );
}

/** One that was given up, or that an earlier release judged, is not compared. */
function judged(
  { best }: Loop,
  { iteration, quality }: FactData<'iteration.finished'>,
): Pick<Loop, 'best' | 'lastChecked'> {
  if (quality === undefined) return {};
  const next = { iteration, quality };
  return { best: betterOf(best, next), ...(quality.proof === 'unknown' ? {} : { lastChecked: next }) };
}

function interrupt(loop: Loop, data: FactData<'iteration.interrupted'>): Loop {
  const { current: _current, ...rest } = loop;
  const { cause } = data;
  const counted = cause === 'limit' || cause === 'environment' || cause === 'unknown';
  return spendTime(
    {
      ...rest,
      ...owedAfter(loop, data),
      phase: 'starting',
      ...givenBack(loop),
      requests: withoutRequest(loop.requests, 'skip'),
      retries: counted ? { ...loop.retries, [cause]: loop.retries[cause] + 1 } : loop.retries,
    },
    data.elapsedMs,
  );
}

/** What the prompt of an attempt delivered, for the next one. */
function givenBack({ current, handOff, guidance }: Loop): Pick<Loop, 'handOff' | 'guidance'> {
  return {
    handOff: handOff || current?.delivered.handOff === true,
    guidance: [...(current?.delivered.guidance ?? []), ...guidance].slice(-keptGuidance),
  };
}

/** A hook that must not fail has failed: that pauses the loop, whatever else the attempt came to. */
function owedAfterHooks({ current }: Loop): Owed | undefined {
  const message = current?.hooks?.failure;
  return message === undefined ? undefined : { cause: 'hook', message };
}

/** What keeps the checks from running and the agent cannot remove: twice in a row is enough. */
function owedAfterObstacle({ current, obstacle: inARow }: Loop): Owed | undefined {
  const obstacle = current?.gate?.obstacle;
  if (obstacle === undefined || inARow === undefined || inARow.gates < maxObstacles) return undefined;
  return { cause: 'obstacle', message: obstacleMessage(obstacle) };
}

const maxObstacles = 2;

/** What an attempt that cost nothing leads to: a wait or a pause; one that was asked to end leads to nothing. */
function owedAfter(
  loop: Loop,
  { cause, message, resetAt }: FactData<'iteration.interrupted'>,
): { readonly owed?: Owed } {
  const broken = owedAfterHooks(loop) ?? owedAfterObstacle(loop);
  if (broken !== undefined) return { owed: broken };
  if (cause === 'request' || cause === 'runner_lost' || cause === 'hook') return {};
  return { owed: { cause, message, ...(resetAt === undefined ? {} : { resetAt }) } };
}
