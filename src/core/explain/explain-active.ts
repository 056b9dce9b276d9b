import { limitOf, type RuleStanding } from '../../protocol/index.ts';
import { amountUsed, boundOf } from '../rules/limits.ts';
import { paceOf } from '../rules/pace.ts';
import { dueReboot } from '../rules/reboots.ts';
import { streakLeft } from '../rules/streaks.ts';
import { waitLeftMs } from '../rules/waiting.ts';
import type { Loop } from '../state/loop.ts';
import { tamperedFiles, testEvidence } from './evidence.ts';
import type { Account, Cause, Evidence, NextStep, NextStop, Situation } from './explanation.ts';

/** What an active loop is doing, and which rule would stop it next. */
export function explainActive(
  loop: Loop,
  { nowMs, rules }: { readonly nowMs: number; readonly rules: readonly RuleStanding[] },
): Account {
  if (loop.status === 'idle') {
    const next = [{ step: 'start', raise: [], verify: true, continues: false } as const];
    return { situation: { kind: 'idle' }, because: [{ kind: 'not_started' }], evidence: [], next };
  }
  if (loop.status === 'completing') {
    const because = [{ kind: 'completion', isVerified: loop.outcome.verified } as const];
    return { situation: { kind: 'completing' }, because, evidence: [], next: [{ step: 'status' }] };
  }
  return {
    situation: situationOf(loop, nowMs),
    because: [...waitCauses(loop), ...requestsOf(loop), ...heldReboot(loop, nowMs), ...nextStops(loop, rules)],
    evidence: recentEvidence(loop),
    next: nextSteps(loop, nowMs),
  };
}

/** Why a loop that no process drives waits, and how it continues. */
export function explainParked(
  loop: Loop,
  context: { readonly nowMs: number; readonly rules: readonly RuleStanding[] },
): Account {
  const { because, evidence } = explainActive(loop, context);
  return {
    situation: { kind: 'parked', leftMs: waitLeftMs(loop, context.nowMs) },
    because,
    evidence,
    next: [{ step: 'resume', raise: [] }, { step: 'status' }, { step: 'abort' }],
  };
}

function situationOf(loop: Loop, nowMs: number): Situation {
  const {
    phase,
    position: { current, iteration },
  } = loop;
  if (current !== undefined) return { kind: 'working', iteration: current.iteration, stage: current.stage };
  const { question } = loop.supervision;
  if (question !== undefined) {
    const { point, iteration: about, why } = question;
    return { kind: 'asking', point, iteration: about, why };
  }
  const leftMs = waitLeftMs(loop, nowMs);
  const { wait } = loop.pending;
  if (wait !== undefined && leftMs > 0) return { kind: 'waiting', cause: wait.cause, leftMs };
  return phase === 'rebooting' ? { kind: 'rebooting' } : { kind: 'between', iteration };
}

function waitCauses({ pending: { wait, retries } }: Loop): readonly Cause[] {
  if (wait === undefined || wait.cause === 'delay') return [];
  const text = wait.message.trim();
  const times = wait.cause === 'schedule' || wait.cause === 'rate' ? 0 : retries[wait.cause];
  return [
    text === '' ? { kind: 'no_message' } : { kind: 'message', text },
    ...(times > 1 ? [{ kind: 'repeated', times } as const] : []),
  ];
}

function requestsOf({ commands: { requests } }: Loop): readonly Cause[] {
  const { end, pause, skip, reboot } = requests;
  const isRequested = { end: end !== undefined, pause: pause !== undefined, skip, reboot };
  const names = ['end', 'pause', 'skip', 'reboot'] as const;
  return names.filter((request) => isRequested[request]).map((request) => ({ kind: 'requested', request }));
}

function heldReboot(loop: Loop, nowMs: number): readonly Cause[] {
  const { cause, heldBy } = dueReboot(loop, nowMs) ?? {};
  return cause === undefined || heldBy === undefined ? [] : [{ kind: 'reboot_held', reboot: { cause, heldBy } }];
}

/** The closest rule; with it every other that is more than half way. */
function nextStops(loop: Loop, rules: readonly RuleStanding[]): readonly NextStop[] {
  const [nearest, ...others] = rules.filter(({ set }) => set !== 'success');
  const urgent = others.filter(({ near }) => near !== null && near > 0.5);
  return [...(nearest === undefined ? [] : [nearest]), ...urgent].map((standing) => nextStop(standing, loop));
}

function nextStop(standing: RuleStanding, loop: Loop): NextStop {
  const outcome = standing.kind === 'limit' && loop.config.onLimit === 'pause' ? 'pause' : 'end';
  const limit = limitOf(standing.rule);
  const left =
    limit === undefined
      ? streakLeft(standing.rule, loop)
      : (boundOf(limit, loop.config) ?? 0) - amountUsed(limit, loop);
  return { kind: 'next_stop', standing, outcome, ...(left === undefined ? {} : { left }) };
}

function recentEvidence(loop: Loop): readonly Evidence[] {
  const {
    verification: { latest: gate },
    position: { finished },
    signals: { lastFailure },
  } = loop;
  const { lastIteration: lastProgress } = loop.progress;
  return [
    ...(finished === 0 ? [] : [{ kind: 'progress', finished, lastProgress } as const]),
    ...(gate === undefined ? [] : [{ kind: 'gate', verdict: gate.result.verdict, iteration: gate.iteration } as const]),
    ...tamperedFiles(loop),
    ...testEvidence(loop),
    ...(lastFailure === undefined ? [] : [{ kind: 'failure', message: lastFailure.message } as const]),
  ];
}

function nextSteps(loop: Loop, nowMs: number): readonly NextStep[] {
  const isStuck = paceOf(loop).recommendation !== 'continue';
  if (loop.supervision.question !== undefined)
    return [{ step: 'continue' }, { step: 'skip' }, { step: 'guide' }, { step: 'pause' }];
  return [
    ...(waitLeftMs(loop, nowMs) > 0 && canRetry(loop) ? [{ step: 'retry' } as const] : []),
    ...(isStuck ? [{ step: 'guide' } as const] : []),
    { step: 'status' },
    { step: 'pause' },
  ];
}

/** Whether a person may end the wait: one for the schedule or the bound on API calls ends by itself only. */
function canRetry({ pending: { wait } }: Loop): boolean {
  return wait?.cause !== 'schedule' && wait?.cause !== 'rate';
}
