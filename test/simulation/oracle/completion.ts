import type { FactType } from '../../../src/protocol/index.ts';
import { mayTryGate, mustTryGate } from './conditions.ts';
import { mayAwaitHooks } from './hooks.ts';
import { type Invariant, on, onAny } from './invariant.ts';
import type { Ledger, OpenAttempt } from './ledger.ts';

/** Facts that must not come between a passed gate and the completion it earned. */
const detours: readonly FactType[] = [
  'iteration.started',
  'agent.started',
  'gate.started',
  'iteration.interrupted',
  'reboot.started',
  'loop.paused',
];

/** A loop completes only when proven, and a proven loop completes. */
export const completionInvariants: readonly Invariant[] = [
  on(
    'loop.completing',
    'R6: a loop completes verified only by a gate that passed for this very attempt',
    (ledger, data, { world }) => {
      if (!data.verified) return undefined;
      if (ledger.earned?.verified !== true) return 'no gate passed';
      return !world.fixed && 'the task is not done';
    },
  ),
  on(
    'loop.completing',
    'a claim alone completes only a loop that trusts it and has nothing to verify',
    (ledger, data) => {
      if (data.verified) return undefined;
      if (ledger.checks > 0 || ledger.config?.trustPromise !== true) return 'it is not to be trusted';
      return ledger.earned === undefined && 'nobody claimed it';
    },
  ),
  on('loop.ended', 'R4: a completed loop says truly whether it was verified', (ledger, data, { before, world }) => {
    if (data.status !== 'completed') return data.verified && `${data.status}, and verified`;
    if (before.status !== 'completing') return `it completed out of ${before.status}`;
    if (data.reason !== 'completed') return `its reason is ${data.reason}`;
    if (ledger.earned?.verified !== data.verified) return 'verified does not agree with the gate';
    return data.verified && !world.fixed && 'the task is not done';
  }),
  onAny(detours, 'R4: a passed gate leads to completion, on the last allowed iteration too', (ledger, { fact }) => {
    // A pause keeps the proof; the remaining hooks run after the resume.
    if (fact.type === 'loop.paused' && (mayAwaitHooks(ledger) || isAsked(ledger))) return undefined;
    return ledger.earned !== undefined && `${fact.type} after the completion was earned`;
  }),
  on(
    'loop.ended',
    'R4: a passed gate leads to completion unless a person ends the loop',
    ({ earned, wishes }, data) => {
      if (earned === undefined || data.status === 'completed') return undefined;
      return !(data.status === 'aborted' && wishes.end !== undefined) && `it ended as ${data.status}: ${data.reason}`;
    },
  ),
  on('iteration.finished', 'a passed gate is never filed as skipped', ({ open }, data) => {
    return isProven(open) && data.status === 'skipped' && 'the gate had passed';
  }),
  on('iteration.finished', 'R6: a claim is put to the gate before it is judged', (ledger, data) => {
    const { open, checks, wishes, config } = ledger;
    if (checks === 0 || open?.run === undefined || data.status === 'skipped' || wishes.end !== undefined)
      return undefined;
    const wanted = open.run.claimed || config?.completionPromise === null || mustTryGate(ledger, data) === true;
    return wanted && open.gate === undefined && 'the gate was never tried';
  }),
  on('iteration.finished', 'A080: the checks run when they are due, claim or not', (ledger, data) => {
    const { open, checks, wishes, config } = ledger;
    const isDue = config !== undefined && config.testEvery > 0 && data.iteration % config.testEvery === 0;
    if (!isDue || checks === 0 || open?.run === undefined || data.status === 'skipped' || wishes.end !== undefined)
      return undefined;
    return open.run.truth !== 'unknown' && open.gate === undefined && 'they never ran';
  }),
  on('iteration.finished', 'A080: checks that ran only because they were due complete nothing', ({ open }, data) => {
    return open?.isPeriodic === true && data.completes !== undefined && 'nobody claimed anything';
  }),
  on(
    'gate.started',
    'the gate is tried only for a claim, a condition for success, no promise, or when it is due',
    (ledger, data) => {
      const { open, checks, config } = ledger;
      if (checks === 0) return 'there is nothing to check';
      if (data.isPeriodic === true) {
        // A gate that was interrupted is repeated for the same reason, whatever the settings are now.
        const isDue = config !== undefined && config.testEvery > 0 && data.iteration % config.testEvery === 0;
        if (open?.run?.claimed === true || config?.completionPromise === null) return 'there was a better reason';
        return !isDue && open?.isPeriodic !== true && 'it was not due';
      }
      if (open?.run?.claimed === true || config?.completionPromise === null) return undefined;
      return !mayTryGate(ledger) && 'nobody claimed anything';
    },
  ),
];

/** Whether the gate proves that the task is done. */
export function isProven(open: OpenAttempt | undefined): boolean {
  return open?.gate === 'passed' && open.isPeriodic !== true;
}

/** Whether a person must accept the completion first. */
function isAsked({ decisions: { question, mode, breakpoints } }: Ledger): boolean {
  return question?.point === 'completion' || mode !== 'unattended' || breakpoints.includes('completion');
}
