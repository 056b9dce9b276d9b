import { boundText } from '../../base/index.ts';
import type { FactData, Measure, Obstacle, Progress, TestCounts } from '../../protocol/index.ts';
import { brokenBaselineMessage, isBrokenBaseline, obstacleMessage } from '../gate/baseline.ts';
import { guardId } from '../gate/guard-id.ts';
import { verdictOf } from '../gate/verdict.ts';
import { rememberMeasures } from '../progress/measures.ts';
import { betterOf } from '../progress/quality.ts';
import { addScore } from '../progress/returns.ts';
import { rememberChecks, rememberTests } from '../progress/test-memory.ts';
import { nextTestFailureStreak } from '../progress/test-streak.ts';
import { wasLost } from '../settle/classify.ts';
import type { CurrentAttempt, GateResult } from '../state/attempt.ts';
import { type Requests, withoutRequest } from '../state/commands.ts';
import { type Change, type Envelope, edit, type LoopEdit, spendTime } from '../state/edits.ts';
import { deliverGuidance, returnGuidance } from '../state/guidance.ts';
import { type LastResult, maxResultFiles, maxTouchedFiles } from '../state/handover.ts';
import type { Loop } from '../state/loop.ts';
import type { Owed } from '../state/pending.ts';
import { maxScores, type ProgressState } from '../state/progress.ts';
import { endSession } from '../state/session.ts';
import type { Spiral, StopSignals } from '../state/signals.ts';
import { countIteration } from '../state/stats.ts';
import { type Baseline, maxCompletionChecks, maxOutputLength, type Verification } from '../state/verification.ts';
import { recordExecution } from './evolve-execution.ts';
import { hooksAtStart } from './evolve-hooks.ts';
import { sessionAfterIteration } from './session-sample.ts';

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

/** What each fact about an iteration changes. A fact that does not belong to the attempt under way changes nothing. */
export const iterationChanges: { readonly [Type in IterationFact]: Change<Type> } = {
  'baseline.finished': (loop, data) => {
    const { verdict, checks, obstacle, warnings, writes } = data;
    const tests = data.tests && withoutFailures(data.tests);
    const baseline = {
      verdict,
      checks,
      ...(tests === undefined ? {} : { tests }),
      ...(obstacle === undefined ? {} : { obstacle }),
      ...(warnings === undefined ? {} : { warnings }),
      ...(writes === undefined ? {} : { writes }),
    };
    const { latest, memory, checkMemory } = loop.tests;
    return spendTime(
      edit(loop, {
        gate: { guards: guardsAfter(loop, data), checkWrites: writesAfter(loop, data) },
        verification: { baseline },
        tests: {
          latest: tests ?? latest,
          memory: data.tests === undefined ? memory : rememberTests(memory, data.tests),
          checkMemory: rememberChecks(checkMemory, data.checks),
        },
        progress: { measures: measured(loop, data.measures, 0) },
        pending: { owed: owedAfterBaseline(loop, baseline) ?? loop.pending.owed },
      }),
      data.elapsedMs,
    );
  },
  'iteration.started': (loop, data, fact) => (isNextAttempt(loop, data) ? begin(loop, data, fact) : loop),
  'agent.started': (loop, data) =>
    inStage(loop, data, 'begun', (current) =>
      edit(loop, { position: { current: { ...current, stage: 'executing', process: data.process } } }),
    ),
  'agent.finished': (loop, data, fact) => {
    const { current } = loop.position;
    if (!isCurrent(current, data) || (current.stage !== 'begun' && current.stage !== 'executing')) return loop;
    return recordExecution(loop, current, { data, at: fact.at });
  },
  'conditions.observed': (loop, data) => {
    const { current } = loop.position;
    if (!isCurrent(current, data) || current.stage !== 'executed' || current.isObserved) return loop;
    return edit(loop, { signals: { observed: data.results }, position: { current: { ...current, isObserved: true } } });
  },
  'gate.started': (loop, data) => {
    const { current } = loop.position;
    if (!isCurrent(current, data) || (current.stage !== 'executed' && current.stage !== 'verifying')) return loop;
    const why = data.isPeriodic === true ? { isPeriodic: true as const } : {};
    return edit(loop, { phase: 'verifying', position: { current: { ...current, ...why, stage: 'verifying' } } });
  },
  'gate.finished': (loop, data, fact) =>
    inStage(loop, data, 'verifying', (current) => recordGate(loop, current, { data, at: fact.at })),
  'iteration.finished': (loop, data) => (isCurrent(loop.position.current, data) ? finish(loop, data) : loop),
  'iteration.interrupted': (loop, data) => (isCurrent(loop.position.current, data) ? interrupt(loop, data) : loop),
};

/** Files that checks wrote: a difference in them is not the agent's work. */
function writesAfter({ gate }: Loop, { writes = [] }: { readonly writes?: readonly string[] | undefined }) {
  const { checkWrites } = gate;
  return writes.length === 0 ? checkWrites : [...new Set([...(checkWrites ?? []), ...writes])].slice(-maxTouchedFiles);
}

/** Changes that the checks make themselves look like tampering, so they are recorded before the agent first runs. */
function guardsAfter({ gate }: Loop, { unguarded = [], renewed = [] }: FactData<'baseline.finished'>) {
  const { guards } = gate;
  if (guards === undefined || unguarded.length + renewed.length === 0) return guards;
  const other = new Set([...unguarded, ...renewed.map(guardId)]);
  return [...guards.filter((guard) => !other.has(guardId(guard))), ...renewed];
}

/** A loop must not start with checks that cannot run, unless the task is to write or repair them. */
function owedAfterBaseline({ config, position }: Loop, baseline: Baseline): Owed | undefined {
  if (position.iteration > 0 || config.allowBrokenBaseline || !isBrokenBaseline(baseline)) return undefined;
  return { cause: 'configuration', message: brokenBaselineMessage(baseline) };
}

interface AttemptKey {
  readonly iteration: number;
  readonly attempt: number;
}

function isNextAttempt(loop: Loop, { iteration, attempt }: AttemptKey): boolean {
  const { position } = loop;
  if (loop.status !== 'running' || position.current !== undefined) return false;
  if (iteration !== position.finished + 1) return false;
  return attempt === (position.iteration === iteration ? position.attempt + 1 : 1);
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
  const { current } = loop.position;
  return isCurrent(current, key) && current.stage === stage ? change(current) : loop;
}

function begin(loop: Loop, data: FactData<'iteration.started'>, fact: Envelope): Loop {
  const { iteration, attempt, handOff, correction, start = loop.gate.start } = data;
  const { spiral } = loop.signals;
  const { kept, delivered } = deliverGuidance(loop.commands.guidance, data);
  const continues = data.session === 'continue' && loop.session.current !== undefined;
  const session = continues
    ? loop.session
    : { ...endSession(loop.session, fact.at, 'iteration'), current: { startedAt: fact.at, iterations: 0 } };
  return spendTime(
    edit(loop, {
      phase: 'executing',
      session: { ...session, handOff: false },
      commands: { guidance: kept, requests: requestsAtStart(loop, iteration) },
      supervision: { skips: undefined },
      // The loop continues without the fresh session that failed to start: those failures are no longer consecutive.
      pending: { wait: undefined, owed: undefined, retries: { ...loop.pending.retries, reboot: 0 } },
      gate: { start },
      hooks: hooksAtStart(loop),
      position: {
        iteration,
        attempt,
        current: {
          iteration,
          attempt,
          epoch: fact.epoch,
          startedAt: fact.at,
          stage: 'begun',
          delivered: { ...delivered, handOff, ...(correction === undefined ? {} : { correction }) },
        },
      },
      ...(correction === undefined || spiral === undefined
        ? {}
        : { signals: { spiral: { ...spiral, isCorrected: true } } }),
    }),
    data.elapsedMs,
  );
}

/** An iteration that a person decided to skip begins, so that it is counted, and ends without a run. */
function requestsAtStart({ commands: { requests }, supervision }: Loop, iteration: number): Requests {
  const rest = withoutRequest(requests, 'skip');
  return supervision.skips === iteration ? { ...rest, skip: true } : rest;
}

/** A journal of the first releases records only whether there was progress. */
function withScore(scores: readonly number[], { made, score = made ? 1 : 0 }: Progress): readonly number[] {
  return made === null ? scores : [...scores, score].slice(-maxScores);
}

function recordGate(
  loop: Loop,
  current: CurrentAttempt,
  { data, at }: { readonly data: FactData<'gate.finished'>; readonly at: string },
): Loop {
  const { iteration, attempt: _attempt, ...outcome } = data;
  const tests = outcome.tests && withoutFailures(outcome.tests);
  const result = { ...outcome, verdict: verdictOf(outcome, loop), ...(tests === undefined ? {} : { tests }) };
  const output = data.checks.map((check) => `${check.command}: ${check.verdict}\n${check.output}`).join('\n');
  const done = {
    iteration,
    at,
    passed: result.verdict === 'passed',
    ...(result.verdict === 'unchanged' ? { isUnchanged: true as const } : {}),
    output: boundText(output, maxOutputLength),
  };
  const treeChanged = (current.execution?.changes.count ?? 0) > 0 || current.execution?.changes.headMoved === true;
  const { latest: before, memory, checkMemory } = loop.tests;
  const { stats } = loop.totals;
  return edit(loop, {
    position: {
      current: {
        ...current,
        stage: 'verified',
        gate: result as GateResult,
        ...(before === undefined ? {} : { testsBefore: before }),
      },
    },
    verification: {
      latest: { iteration, result: result as GateResult },
      obstacle: countObstacle(loop.verification.obstacle, outcome.obstacle),
      completionChecks: [...loop.verification.completionChecks, done].slice(-maxCompletionChecks),
    },
    gate: { checkWrites: writesAfter(loop, data) },
    tests: {
      latest: tests ?? before,
      memory: outcome.tests === undefined ? memory : rememberTests(memory, outcome.tests, before),
      checkMemory: rememberChecks(checkMemory, data.checks),
    },
    progress: { measures: measured(loop, data.tampered === undefined ? data.measures : [], iteration) },
    totals: {
      stats: {
        ...stats,
        testsRun: stats.testsRun + (tests?.total ?? 0),
        testsPassed: stats.testsPassed + (tests?.passed ?? 0),
        testsFailed: stats.testsFailed + (tests?.failed ?? 0),
        testFailureStreak: nextTestFailureStreak(stats.testFailureStreak, {
          before,
          after: tests,
          verdict: result.verdict,
          treeChanged,
        }),
      },
    },
  });
}

function countObstacle(before: Verification['obstacle'], now: Obstacle | undefined): Verification['obstacle'] {
  return now && { code: now.code, gates: before?.code === now.code ? before.gates + 1 : 1 };
}

function measured(loop: Loop, measures: readonly Measure[] | undefined, iteration: number): ProgressState['measures'] {
  return rememberMeasures(loop.progress.measures, measures ?? [], { iteration, config: loop.config });
}

/** The test memory keeps failures in its own form, so the counts need not repeat them. */
function withoutFailures({ failures: _failures, ...counts }: TestCounts): TestCounts {
  return counts;
}

function finish(loop: Loop, data: FactData<'iteration.finished'>): Loop {
  const { iteration, failure, status, completes, progress, matchedPattern = loop.signals.matchedPattern } = data;
  const { current } = loop.position;
  const isSkipped = status === 'skipped';
  // Without any result of the run, the handover has not reached a session; an abandoned run need not have used guidance.
  const hasRun = current?.execution !== undefined && !wasLost(current.execution);
  const { lastIteration, recentScores } = loop.progress;
  const { session, commands, signals } = undelivered(loop);
  return spendTime(
    edit(loop, {
      phase: 'starting',
      position: { finished: iteration, current: undefined, earned: completes ?? loop.position.earned },
      signals: {
        ...(isSkipped && !hasRun ? signals : {}),
        matchedPattern,
        lastFailure:
          failure === undefined ? previousFailure(loop, status) : failureNow(loop, failure, data.errorMatches),
      },
      pending: {
        owed:
          completes === undefined
            ? (owedAfterHooks(loop) ?? owedAfterObstacle(loop) ?? { cause: 'delay' })
            : loop.pending.owed,
        retries: { ...loop.pending.retries, limit: 0, environment: 0, unknown: 0 },
      },
      session: isSkipped && !hasRun ? session : { current: sessionAfterIteration(loop, data) },
      commands: { ...(isSkipped ? commands : {}), requests: withoutRequest(loop.commands.requests, 'skip') },
      progress: {
        ...judged(loop, data),
        lastIteration: progress.made === true ? iteration : lastIteration,
        recentScores: isSkipped ? recentScores : withScore(recentScores, progress),
      },
      handover: isSkipped ? {} : { lastResult: resultOf(loop, status) },
      supervision: { prompt: undefined, ...(isSkipped ? {} : { regressed: hasRegressed(current) }) },
      totals: { stats: countIteration(loop.totals.stats, { status, madeProgress: progress.made }) },
    }),
    data.elapsedMs,
  );
}

function resultOf({ position: { current }, tests }: Loop, status: Finished['status']): LastResult {
  const { execution, gate } = current ?? {};
  const { modified = [], created = [], deleted = [] } = execution?.changes ?? {};
  const counts = gate?.tests ?? tests.latest;
  return {
    success: status === 'completed',
    files: [...modified, ...created, ...deleted].slice(0, maxResultFiles),
    ...(counts === undefined ? {} : { tests: { passed: counts.passed, failed: counts.failed } }),
    ...(execution?.summary === undefined ? {} : { summary: execution.summary }),
  };
}

/** Whether more tests fail than before the iteration. */
function hasRegressed(current: CurrentAttempt | undefined): true | undefined {
  const [before, after] = [current?.testsBefore?.failed, current?.gate?.tests?.failed];
  return before !== undefined && after !== undefined && after > before ? true : undefined;
}

type Finished = FactData<'iteration.finished'>;

/** A skipped iteration neither fails nor succeeds, so it ends no streak. */
function previousFailure({ signals }: Loop, status: Finished['status']): StopSignals['lastFailure'] {
  return status === 'skipped' ? signals.lastFailure : undefined;
}

function failureNow(
  { signals: { lastFailure } }: Loop,
  failure: NonNullable<Finished['failure']>,
  matches: readonly string[] | undefined,
): StopSignals['lastFailure'] {
  const streak = failure.signature === lastFailure?.signature ? lastFailure.streak + 1 : 1;
  return { ...failure, streak, ...(matches === undefined ? {} : { matches }) };
}

/** An iteration that was skipped, or judged by an earlier release, is not compared. */
function judged({ progress: { best, recentQuality } }: Loop, { iteration, quality }: Finished): Partial<ProgressState> {
  if (quality === undefined) return {};
  const next = { iteration, quality };
  if (quality.proof === 'unknown') return { best: betterOf(best, next) };
  return { best: betterOf(best, next), lastChecked: next, recentQuality: addScore(recentQuality ?? [], next) };
}

function interrupt(loop: Loop, data: FactData<'iteration.interrupted'>): Loop {
  const { cause } = data;
  const { retries, owed } = loop.pending;
  const counted = cause === 'limit' || cause === 'environment' || cause === 'unknown';
  const { session, commands, signals } = undelivered(loop);
  return spendTime(
    edit(loop, {
      phase: 'starting',
      position: { current: undefined },
      signals,
      pending: {
        owed: owedAfter(loop, data) ?? owed,
        retries: counted ? { ...retries, [cause]: retries[cause] + 1 } : retries,
      },
      session,
      commands: { ...commands, requests: withoutRequest(loop.commands.requests, 'skip') },
    }),
    data.elapsedMs,
  );
}

/** What the prompt of an attempt carried, to be delivered by the next one. */
function undelivered({ position: { current }, session, commands, signals: { spiral } }: Loop) {
  return {
    signals:
      current?.delivered.correction === undefined || spiral === undefined ? {} : { spiral: notCorrected(spiral) },
    session: { handOff: session.handOff || current?.delivered.handOff === true },
    commands: { guidance: returnGuidance(commands.guidance, current?.delivered.guidance) },
  } satisfies LoopEdit;
}

function notCorrected({ isCorrected: _corrected, ...spiral }: Spiral): Spiral {
  return spiral;
}

/** A hook that must not fail has failed: that pauses the loop, whatever the result of the attempt. */
function owedAfterHooks({ position }: Loop): Owed | undefined {
  const message = position.current?.hooks?.failure;
  return message === undefined ? undefined : { cause: 'hook', message };
}

/** An obstacle that the agent cannot remove pauses the loop when it blocks the checks twice in a row. */
function owedAfterObstacle({ position, verification: { obstacle: inARow } }: Loop): Owed | undefined {
  const obstacle = position.current?.gate?.obstacle;
  if (obstacle === undefined || inARow === undefined || inARow.gates < maxObstacles) return undefined;
  return { cause: 'obstacle', message: obstacleMessage(obstacle) };
}

const maxObstacles = 2;

/** What follows an attempt that did not count: a wait or a pause; nothing if it was ended on request. */
function owedAfter(loop: Loop, { cause, message, resetAt }: FactData<'iteration.interrupted'>): Owed | undefined {
  const broken = owedAfterHooks(loop) ?? owedAfterObstacle(loop);
  if (broken !== undefined) return broken;
  if (cause === 'request' || cause === 'runner_lost' || cause === 'hook') return undefined;
  return { cause, message, ...(resetAt === undefined ? {} : { resetAt }) };
}
