import { roughDuration } from '../../base/index.ts';
import { tamperedText } from '../gate/doubt-words.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { type Account, again, type NextStep, step } from './explanation.ts';
import { paceOf } from './pace.ts';
import type { RuleStanding } from './rule-standing.ts';
import { tripText } from './stop-words.ts';
import { testEvidence } from './test-words.ts';
import { waitLeftMs } from './waiting.ts';

/** What a loop that is not at rest does now, and which rule would end it next. */
export function explainActive(
  loop: ShownLoop,
  { nowMs, rules }: { readonly nowMs: number; readonly rules: readonly RuleStanding[] },
): Account {
  if (loop.status === 'idle') {
    const next = [again('--verify CMD', 'start a loop')];
    return { headline: 'It has not started.', because: ['no fact of it is written yet'], evidence: [], next };
  }
  if (loop.status === 'completing') {
    const next = [step(loop, 'status', 'see when that is over')];
    const proof = loop.verified ? 'the checks prove that the task is done' : "the agent's word is taken for it";
    return { headline: 'It is done and being wrapped up.', because: [proof], evidence: [], next };
  }
  return {
    headline: whatItDoes(loop, nowMs),
    because: [...whyItWaits(loop), ...whatWasAsked(loop), ...whatWouldStopIt(loop, rules)],
    evidence: recentEvidence(loop),
    next: nextSteps(loop, nowMs),
  };
}

function whatItDoes(loop: ShownLoop, nowMs: number): string {
  const { current, wait, iteration, phase } = loop;
  if (current !== undefined) return `Iteration ${current.iteration} is under way: ${doing[current.stage]}.`;
  const leftMs = waitLeftMs(loop, nowMs);
  if (wait !== undefined && leftMs > 0) return `It waits ${roughDuration(leftMs)} more ${waitingFor[wait.cause]}.`;
  if (phase === 'rebooting') return 'Its agent is given a fresh session.';
  return iteration === 0 ? 'It is about to begin.' : `Iteration ${iteration} is over; the next one is about to begin.`;
}

const doing = {
  begun: 'it is being prepared',
  executing: 'the agent works',
  executed: 'the agent is done, and what it did is being judged',
  verifying: 'ralphd runs the checks',
  verified: 'the checks have run, and the iteration is being judged',
} as const;

const waitingFor = {
  delay: 'until the next iteration',
  limit: "for the provider's limit to be over",
  environment: 'before it tries again what did not work',
  unknown: 'before it tries again',
  reboot: 'before it tries again to get a fresh session',
} as const;

function whyItWaits({ wait, retries }: ShownLoop): readonly string[] {
  if (wait === undefined || wait.cause === 'delay') return [];
  const { cause } = wait;
  return [
    wait.message.trim() || 'the agent did not say why',
    ...(retries[cause] > 1 ? [`that happened ${retries[cause]} times in a row`] : []),
  ];
}

function whatWasAsked({ requests }: ShownLoop): readonly string[] {
  return [
    ...(requests.end === undefined ? [] : ['somebody asked it to end']),
    ...(requests.pause === undefined ? [] : ['somebody asked it to pause']),
    ...(requests.skip ? ['somebody gave up this iteration'] : []),
    ...(requests.reboot ? ['somebody asked for a fresh session'] : []),
  ];
}

/** The nearest rule; with it every other that is more than half way. */
function whatWouldStopIt(loop: ShownLoop, rules: readonly RuleStanding[]): readonly string[] {
  const [nearest, ...others] = rules.filter(({ set }) => set !== 'success');
  const urgent = others.filter(({ near }) => near !== null && near > 0.5);
  return [...(nearest === undefined ? [] : [nearest]), ...urgent].map((rule) => tripText(rule, loop));
}

function recentEvidence(loop: ShownLoop): readonly string[] {
  const { gate, tests, lastProgressIteration, finished, lastFailure } = loop;
  return [
    ...(finished === 0 ? [] : [progressText(lastProgressIteration, finished)]),
    ...(gate === undefined
      ? []
      : [`the checks ${gate.result.verdict.replace('_', ' ')} after iteration ${gate.iteration}`]),
    ...tamperedText(loop),
    ...(tests === undefined ? [] : [`${tests.passed} of ${tests.total} tests passed when they were run last`]),
    ...testEvidence(loop),
    ...(lastFailure === undefined ? [] : [`the last failure: ${lastFailure.message}`]),
  ];
}

function progressText(last: number, finished: number): string {
  return last === 0
    ? `no progress in ${finished} ${finished === 1 ? 'iteration' : 'iterations'}`
    : `the last progress was in iteration ${last}`;
}

function nextSteps(loop: ShownLoop, nowMs: number): readonly NextStep[] {
  const waits = waitLeftMs(loop, nowMs) > 0;
  const isStuck = paceOf(loop).recommendation !== 'continue';
  return [
    ...(waits ? [step(loop, 'retry', 'wait no longer')] : []),
    ...(isStuck ? [step(loop, 'guide "TEXT"', 'tell the agent what to try instead')] : []),
    step(loop, 'status', 'see its figures'),
    step(loop, 'pause', 'let it rest when the iteration is over'),
  ];
}
