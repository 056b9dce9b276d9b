import { roughDuration } from '../../base/index.ts';
import type { Obstacle } from '../../protocol/index.ts';
import { isBrokenBaseline } from '../gate/baseline.ts';
import { tamperedText } from '../gate/doubt-words.ts';
import { doubtsOf } from '../gate/doubts.ts';
import type { CurrentAttempt, JudgedIteration } from '../loop/attempt.ts';
import { isRuledOut } from '../loop/exit-code.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { betterThanLast, judgedText, shortId } from './best-words.ts';
import { type Account, again, type NextStep, step } from './explanation.ts';
import { limitOf, reachedLimits, roomFor } from './limits.ts';
import { standings } from './stop-rules.ts';
import { type ReasonWords, reasonWords } from './stop-words.ts';
import { summariseTests } from './test-summary.ts';
import { flakyEvidence, testEvidence } from './test-words.ts';
import { waitLeftMs } from './waiting.ts';

/** Why a loop rests, and how it goes on. */
export function explainPause(loop: ShownLoop, nowMs: number): Account {
  const reason = loop.reason ?? 'user_pause';
  const { what, advice } = blockedGate(loop) ?? reasonWords[reason];
  const leftMs = waitLeftMs(loop, nowMs);
  const wait = leftMs > 0 ? [`the provider's limit is over in ${roughDuration(leftMs)}`] : [];
  const resume = resumeCommand(loop);
  return {
    headline: `Paused: ${what}.`,
    because: [...messageOf(loop), ...wait],
    evidence: [...brokenChecks(loop), ...tamperedText(loop), ...betterOf(loop), ...workOf(loop)],
    next: [
      ...wayBack(loop),
      ...(reason === 'configuration' && !isRefusedAtStart(loop) ? [agents] : []),
      resume === undefined
        ? withOtherConditions(loop)
        : { command: resume, does: reachedLimits(loop).length > 1 ? 'allow more of all that is used up' : advice },
      ...(isRefusedAtStart(loop) ? [allowBroken(loop)] : []),
      ...(leftMs > 0 ? [step(loop, 'retry', 'do not wait for the limit when it goes on')] : []),
      step(loop, 'abort', 'end it for good'),
    ],
  };
}

/** Why no work can make the checks pass, where that is what holds a loop up. */
function blockedGate(loop: ShownLoop): ReasonWords | undefined {
  if (isRefusedAtStart(loop)) {
    return { what: 'the checks cannot judge anything as they are', advice: 'try the checks again once they are fixed' };
  }
  const { obstacle } = loop.gate?.result ?? {};
  if (obstacle === undefined || loop.reason !== 'environment') return undefined;
  return { what: `the checks cannot be run: ${obstacle.message}`, advice: fixOf(obstacle) };
}

function fixOf({ fix }: Obstacle): string {
  return fix.trim() || 'Fix that and resume.';
}

/** Whether the loop rests because its checks could not judge anything before the first iteration. */
function isRefusedAtStart({ status, reason, iteration, baseline }: ShownLoop): boolean {
  if (status !== 'paused' || reason !== 'configuration' || iteration > 0) return false;
  return baseline !== undefined && isBrokenBaseline(baseline);
}

function allowBroken(loop: ShownLoop): NextStep {
  return step(loop, 'resume --allow-broken-baseline', 'start all the same: the task is to write or repair the checks');
}

function brokenChecks(loop: ShownLoop): readonly string[] {
  if (!isRefusedAtStart(loop)) return [];
  const refused = (loop.baseline?.checks ?? []).filter(({ verdict }) => verdict !== 'passed');
  return refused.map(({ command, verdict }) => `${command}: ${verdict.replace('_', ' ')} before the first iteration`);
}

/** The command with which a loop that rests goes on; none when a condition that is met would pause it again at once. */
export function resumeCommand(loop: ShownLoop): string | undefined {
  if (loop.status === 'paused' && metLimits(loop).length > 0) return undefined;
  const room = roomFor(loop);
  return step(loop, room === '' ? 'resume' : `resume ${room}`, '').command;
}

/** Why a loop is over, or lost. */
export function explainEnd(loop: ShownLoop, how: 'completed' | 'failed' | 'aborted' | 'crashed' | 'lost'): Account {
  switch (how) {
    case 'completed':
      return loop.verified ? proven(loop) : trusted(loop);
    case 'failed':
      return failed(loop);
    case 'aborted':
      return {
        headline: `Aborted: ${reasonWords[loop.reason ?? 'user_abort'].what}.`,
        because: messageOf(loop),
        evidence: workOf(loop),
        next: [again('', 'begin again; the work so far is in the work tree'), step(loop, 'status', 'see its figures')],
      };
    case 'crashed':
      return {
        headline: 'Crashed: its process died, and it was given up.',
        because: messageOf(loop),
        evidence: workOf(loop),
        next: [step(loop, 'recover', 'see what is left of it'), again('', 'begin again with what is in the work tree')],
      };
    case 'lost':
      return lost(loop);
  }
}

const agents: NextStep = { command: 'ralphd agents', does: 'see which agents are here and what is wrong with them' };

function proven(loop: ShownLoop): Account {
  const { gate } = loop;
  const checks = gate?.result.checks ?? [];
  return {
    headline: provenHeadline(loop),
    because: [
      `ralphd ran the checks itself${gate === undefined ? '' : ` after iteration ${gate.iteration}`}, and all passed`,
    ],
    evidence: [
      ...checks.map(({ command, verdict }) => `${command}: ${verdict}`),
      ...testsOf(loop),
      ...flakyEvidence(summariseTests(loop)?.flaky ?? []),
      ...tamperedText(loop),
      ...workOf(loop),
    ],
    next: [step(loop, 'status', 'see its figures')],
  };
}

/** What the checks prove, and no more: those that passed all along, or beside failing tests, do not prove the task. */
function provenHeadline(loop: ShownLoop): string {
  const doubts = doubtsOf(loop);
  const { failed = 0 } = loop.tests ?? {};
  const look = doubts.length === 0 ? '' : ', but look at this';
  if (failed > 0) return `Completed: every check exits with 0, although ${failed} tests failed${look}.`;
  if (doubts.some(({ code }) => code === 'already_green')) {
    return `Completed: all checks pass, as they did before the first iteration${look}.`;
  }
  return `Completed: the task is done, and the checks prove it${look}.`;
}

function trusted(loop: ShownLoop): Account {
  return {
    headline: "Completed on the agent's word: nothing proves it.",
    because: ['there was nothing to verify, and trustPromise takes the word of the agent'],
    evidence: workOf(loop),
    next: [again('--verify CMD', 'have the next one proven'), step(loop, 'status', 'see its figures')],
  };
}

function failed(loop: ShownLoop): Account {
  const { what, advice } = reasonWords[loop.reason ?? 'iteration_failures'];
  const { obstacle } = loop.gate?.result ?? {};
  const more =
    obstacle === undefined
      ? again(roomFor(loop), `${advice}, and begin again; the work so far is in the work tree`)
      : again('', `${fixOf(obstacle)} Then begin again; the work so far is in the work tree`);
  return {
    headline: `Failed: ${what}.`,
    because: [
      ...messageOf(loop),
      ...(obstacle === undefined ? [] : [`the checks cannot be run: ${obstacle.message}`]),
      ...provenTooLate(loop),
    ],
    evidence: [
      ...refusedChecks(loop),
      ...tamperedText(loop),
      ...failureOf(loop),
      ...testsOf(loop),
      ...testEvidence(loop),
      ...betterOf(loop),
      ...workOf(loop),
    ],
    next: [
      ...wayBack(loop),
      isLimit(loop) && metLimits(loop).length > 0 ? anew(loop) : more,
      step(loop, 'status', 'see its figures'),
    ],
  };
}

/** The newest work of a loop that rules ended is what it is: an earlier one may be worth more. */
function better(loop: ShownLoop): JudgedIteration | undefined {
  return loop.reason !== undefined && isRuledOut(loop.reason) ? betterThanLast(loop) : undefined;
}

/** That an earlier iteration was better than the last. */
function betterOf(loop: ShownLoop): readonly string[] {
  const best = better(loop);
  if (best === undefined) return [];
  const last = loop.lastChecked?.iteration ?? loop.finished;
  const other = last === loop.finished ? 'the last' : `iteration ${last}, the last that was checked`;
  return [`iteration ${best.iteration} was better than ${other}: ${judgedText(best)}`];
}

/** How to see what was done since the best iteration, and how to go back to it; nobody does it for the user. */
function wayBack(loop: ShownLoop): readonly NextStep[] {
  const best = better(loop);
  const commit = best?.quality.commit;
  if (best === undefined || commit?.isWhole !== true) return [];
  const id = shortId(commit.id);
  const does = `see what was done since iteration ${best.iteration}, the best; "git restore --source=${id} ." takes the files back to it`;
  return [{ command: `git diff ${id}`, does }];
}

/** Only a strict budget takes the word from checks that passed in the last iteration. */
function provenTooLate({ reason, gate, finished }: ShownLoop): readonly string[] {
  const isProven = gate?.iteration === finished && gate.result.verdict === 'passed';
  if (!isProven || limitOf(reason) === undefined) return [];
  return [`the checks passed after iteration ${finished}, but only beyond the budget, which is strict`];
}

/** Begins again where no option helps: a loop that has ended keeps its conditions. */
function anew(loop: ShownLoop): NextStep {
  return again(roomFor(loop), `${raiseFirst(loop)}; the work so far is in the work tree`);
}

/** Goes on where a condition has to be another one first: a loop keeps its own until it is told to take them. */
function withOtherConditions(loop: ShownLoop): NextStep {
  const words = ['resume', '--accept-conditions', roomFor(loop)].filter((word) => word !== '');
  return step(loop, words.join(' '), `${raiseFirst(loop)}; this takes them from there`);
}

function raiseFirst(loop: ShownLoop): string {
  return `first raise ${metLimits(loop).join(' and ')} in stopConditions of your settings`;
}

/** The limits that were written as conditions and are reached, such as `stop.0`. */
function metLimits(loop: ShownLoop): readonly string[] {
  return standings(loop).flatMap(({ kind, key, near }) =>
    kind === 'limit' && key !== undefined && near === 1 ? [key] : [],
  );
}

function isLimit(loop: ShownLoop): boolean {
  return limitOf(loop.reason) !== undefined;
}

function lost(loop: ShownLoop): Account {
  const { current } = loop;
  const where =
    current === undefined ? 'between two iterations' : `in iteration ${current.iteration}, ${stageOf(current)}`;
  return {
    headline: 'Its process is gone; nothing is lost.',
    because: [`it was ${where}`],
    evidence: workOf(loop),
    next: [
      step(loop, 'resume', 'go on from there, with the agent if it still works'),
      step(loop, 'abort', 'end it for good, and its agent'),
    ],
  };
}

function stageOf({ stage }: CurrentAttempt): string {
  return stage === 'executed' || stage === 'verifying' || stage === 'verified' ? 'after the agent was done' : 'at work';
}

function messageOf({ message, reason }: ShownLoop): readonly string[] {
  return [message === undefined || message.trim() === '' ? `the reason is ${reason ?? 'not on record'}` : message];
}

function refusedChecks({ gate }: ShownLoop): readonly string[] {
  const refused = gate?.result.checks.filter(({ verdict }) => verdict !== 'passed') ?? [];
  return refused.map(
    ({ command, verdict }) => `${command}: ${verdict.replace('_', ' ')} after iteration ${gate?.iteration}`,
  );
}

function failureOf({ lastFailure }: ShownLoop): readonly string[] {
  return lastFailure === undefined ? [] : [`the last failure: ${lastFailure.message}`];
}

function testsOf({ tests }: ShownLoop): readonly string[] {
  if (tests === undefined) return [];
  return [`${tests.passed} of ${tests.total} tests passed (${tests.framework}), ${tests.failed} failed`];
}

function workOf({ finished, stats, lastProgressIteration }: ShownLoop): readonly string[] {
  if (finished === 0) return ['no iteration was finished'];
  const last =
    lastProgressIteration === 0 ? 'none made progress' : `the last progress was in iteration ${lastProgressIteration}`;
  return [`${finished} ${finished === 1 ? 'iteration' : 'iterations'}, ${stats.failedIterations} failed; ${last}`];
}
