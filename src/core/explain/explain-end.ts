import { limitOf } from '../../protocol/index.ts';
import { isBrokenBaseline } from '../gate/baseline.ts';
import { doubtsOf } from '../gate/doubts.ts';
import { isRuledOut } from '../loop/exit-code.ts';
import { betterThanLast } from '../progress/best-iteration.ts';
import { waitLeftMs } from '../rules/waiting.ts';
import type { JudgedIteration } from '../state/attempt.ts';
import { isProven } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import { flakyTests, tamperedFiles, testCounts, testEvidence, workOf } from './evidence.ts';
import type { Account, Cause, Evidence, NextStep, Situation } from './explanation.ts';
import { resumeStep, startStep } from './next-steps.ts';

/** Why a loop is paused, and how it continues. */
export function explainPause(loop: Loop, nowMs: number): Account {
  const reason = loop.outcome.reason ?? 'user_pause';
  const isBroken = isRefusedAtStart(loop);
  const leftMs = waitLeftMs(loop, nowMs);
  return {
    situation: pauseSituation(loop),
    because: [messageOf(loop), ...(leftMs > 0 ? [{ kind: 'wait_left', leftMs } as const] : [])],
    evidence: [...baselineChecks(loop), ...tamperedFiles(loop), ...betterIteration(loop), workOf(loop)],
    next: [
      ...comparison(loop),
      ...(reason === 'configuration' && !isBroken ? [{ step: 'agents' } as const] : []),
      advisedResume(loop),
      ...(isBroken ? [{ step: 'resume', raise: [], accept: 'broken_baseline' } as const] : []),
      ...(leftMs > 0 ? [{ step: 'retry' } as const] : []),
      { step: 'abort' },
    ],
  };
}

function pauseSituation(loop: Loop): Situation {
  const obstacle = blockingObstacle(loop);
  if (isRefusedAtStart(loop)) return { kind: 'checks_broken' };
  if (obstacle !== undefined) return { kind: 'checks_blocked', message: obstacle.message };
  return { kind: 'paused', reason: loop.outcome.reason ?? 'user_pause' };
}

/** A resume, and what the user has to fix first. */
function advisedResume(loop: Loop): NextStep {
  const resume = resumeStep(loop);
  if (resume.conditions !== undefined) return resume;
  if (isRefusedAtStart(loop)) return { ...resume, because: 'checks_broken' };
  const obstacle = blockingObstacle(loop);
  if (obstacle !== undefined) return { ...resume, fix: obstacle.fix.trim() };
  return { ...resume, because: loop.outcome.reason ?? 'user_pause' };
}

/** What keeps the checks from running, if that is why the loop is paused. */
function blockingObstacle({ outcome, verification }: Loop) {
  return outcome.reason === 'environment' ? verification.latest?.result.obstacle : undefined;
}

/** Whether the loop is paused because its checks could not run before the first iteration. */
function isRefusedAtStart({ status, outcome, position, verification: { baseline } }: Loop): boolean {
  if (status !== 'paused' || outcome.reason !== 'configuration' || position.iteration > 0) return false;
  return baseline !== undefined && isBrokenBaseline(baseline);
}

function baselineChecks(loop: Loop): readonly Evidence[] {
  if (!isRefusedAtStart(loop)) return [];
  const refused = (loop.verification.baseline?.checks ?? []).filter(({ verdict }) => verdict !== 'passed');
  return refused.map(({ command, verdict }) => ({ kind: 'check', command, verdict, iteration: 0 }));
}

/** Why a loop ended, or lost its owner. */
export function explainEnd(loop: Loop, how: 'completed' | 'failed' | 'aborted' | 'crashed' | 'lost'): Account {
  const again = { step: 'start', raise: [], continues: true } as const;
  const evidence = [workOf(loop)];
  switch (how) {
    case 'completed':
      return loop.outcome.verified ? proven(loop) : trusted(loop);
    case 'failed':
      return failed(loop);
    case 'aborted': {
      const situation = { kind: 'aborted', reason: loop.outcome.reason ?? 'user_abort' } as const;
      return { situation, because: [messageOf(loop)], evidence, next: [again, { step: 'status' }] };
    }
    case 'crashed':
      return {
        situation: { kind: 'crashed' },
        because: [messageOf(loop)],
        evidence,
        next: [{ step: 'recover' }, again],
      };
    case 'lost':
      return lost(loop);
  }
}

function proven(loop: Loop): Account {
  const { latest: gate } = loop.verification;
  const doubts = doubtsOf(loop);
  return {
    situation: {
      kind: 'proven',
      failedTests: loop.tests.latest?.failed ?? 0,
      hadPassedBefore: doubts.some(({ code }) => code === 'already_green'),
      isDoubtful: doubts.length > 0,
    },
    because: [{ kind: 'checks_passed', ...(gate === undefined ? {} : { iteration: gate.iteration }) }],
    evidence: [
      ...(gate?.result.checks ?? []).map(({ command, verdict }) => ({ kind: 'check', command, verdict }) as const),
      ...testCounts(loop),
      ...flakyTests(loop),
      ...tamperedFiles(loop),
      workOf(loop),
    ],
    next: [{ step: 'report' }, { step: 'status' }],
  };
}

function trusted(loop: Loop): Account {
  return {
    situation: { kind: 'trusted' },
    because: [{ kind: 'nothing_to_verify' }],
    evidence: [workOf(loop)],
    next: [{ step: 'start', raise: [], verify: true, continues: true }, { step: 'report' }, { step: 'status' }],
  };
}

function failed(loop: Loop): Account {
  const { obstacle } = loop.verification.latest?.result ?? {};
  return {
    situation: { kind: 'failed', reason: loop.outcome.reason ?? 'iteration_failures' },
    because: [
      messageOf(loop),
      ...(obstacle === undefined ? [] : [{ kind: 'obstacle', message: obstacle.message } as const]),
      ...provenTooLate(loop),
    ],
    evidence: [
      ...refusedChecks(loop),
      ...tamperedFiles(loop),
      ...lastFailure(loop),
      ...testEvidence(loop),
      ...betterIteration(loop),
      workOf(loop),
    ],
    next: [...comparison(loop), startStep(loop), { step: 'status' }],
  };
}

function lost(loop: Loop): Account {
  const { current } = loop.position;
  const isAgentDone = current !== undefined && ['executed', 'verifying', 'verified'].includes(current.stage);
  const place = current === undefined ? {} : { iteration: current.iteration };
  return {
    situation: { kind: 'owner_lost' },
    because: [{ kind: 'stopped_at', isAgentDone, ...place }],
    evidence: [workOf(loop)],
    next: [
      { step: 'resume', raise: [] },
      { step: 'abort', endsAgent: true },
    ],
  };
}

function messageOf({ outcome: { message = '', reason } }: Loop): Cause {
  if (message.trim() !== '') return { kind: 'message', text: message };
  return { kind: 'reason', ...(reason === undefined ? {} : { reason }) };
}

/** When a rule ended the loop, its newest work may be worth less than earlier work. */
function better(loop: Loop): JudgedIteration | undefined {
  return loop.outcome.reason !== undefined && isRuledOut(loop.outcome.reason) ? betterThanLast(loop) : undefined;
}

function betterIteration(loop: Loop): readonly Evidence[] {
  const best = better(loop);
  const { finished } = loop.position;
  const checked = loop.progress.lastChecked?.iteration ?? finished;
  return best === undefined ? [] : [{ kind: 'better_iteration', best, checked, finished }];
}

/** Offered only if the best iteration is a commit; going back to it is left to the user. */
function comparison(loop: Loop): readonly NextStep[] {
  const best = better(loop);
  const commit = best?.quality.commit;
  if (best === undefined || commit?.isWhole !== true) return [];
  return [{ step: 'compare', commit: commit.id, iteration: best.iteration }];
}

/** Only a strict budget invalidates checks that passed in the last iteration. */
function provenTooLate({ outcome, verification: { latest: gate }, position: { finished } }: Loop): readonly Cause[] {
  const hasPassed = gate?.iteration === finished && isProven({ gate: gate.result });
  if (!hasPassed || limitOf(outcome.reason) === undefined) return [];
  return [{ kind: 'proven_too_late', iteration: finished }];
}

function refusedChecks({ verification: { latest: gate } }: Loop): readonly Evidence[] {
  if (gate === undefined) return [];
  const refused = gate.result.checks.filter(({ verdict }) => verdict !== 'passed');
  return refused.map(({ command, verdict }) => ({ kind: 'check', command, verdict, iteration: gate.iteration }));
}

function lastFailure({ signals }: Loop): readonly Evidence[] {
  return signals.lastFailure === undefined ? [] : [{ kind: 'failure', message: signals.lastFailure.message }];
}
