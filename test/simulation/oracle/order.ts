import { type FactType, factTypes, type Status, stopReasons } from '../../../src/protocol/index.ts';
import { type Invariant, type Observation, on, onAny } from './invariant.ts';
import type { Ledger } from './ledger.ts';

const moves: Record<Status | 'idle', readonly Status[]> = {
  idle: ['running'],
  running: ['paused', 'completing', 'failed', 'aborted', 'crashed'],
  paused: ['running', 'aborted'],
  completing: ['completed', 'failed', 'crashed'],
  completed: [],
  failed: [],
  aborted: [],
  crashed: [],
};

/** Facts come in a valid order, and the state reflects each of them. */
export const orderInvariants: readonly Invariant[] = [
  onAny(factTypes, 'A166: an ended loop never changes again', ({ ended }, { fact, before, after }) => {
    if (ended === 0) return undefined;
    if (fact.type !== 'segment.opened' && fact.type !== 'command.refused') return `${fact.type} after the end`;
    return (
      (before.status !== after.status || before.outcome.reason !== after.outcome.reason) && 'status or reason changed'
    );
  }),
  onAny(factTypes, 'A163, A164, A165, A167: a status moves only along the table', (_ledger, { before, after }) => {
    if (before.status === after.status) return undefined;
    const known = after.status !== 'idle' && moves[before.status].includes(after.status);
    return !known && `${before.status} -> ${after.status}`;
  }),
  onAny(['loop.paused', 'loop.ended'], 'every pause and every end has a reason and a message', (_ledger, { fact }) => {
    if (fact.type !== 'loop.paused' && fact.type !== 'loop.ended') return undefined;
    const { reason, message } = fact.data;
    if (!stopReasons.includes(reason)) return `the reason is ${reason}`;
    return message.trim() === '' && 'the message is empty';
  }),
  on('iteration.started', 'A045: two iterations are never open at once', ({ open }) => {
    return open !== undefined && `iteration ${open.iteration}, attempt ${open.attempt}, is still open`;
  }),
  on('iteration.started', 'A045: numbers rise by one and attempts are counted', (ledger, { iteration, attempt }) => {
    const nextAttempt = iteration === ledger.lastIteration ? ledger.lastAttempt + 1 : 1;
    if (iteration !== ledger.finished + 1) return `iteration ${iteration} after ${ledger.finished} finished ones`;
    return attempt !== nextAttempt && `attempt ${attempt} instead of ${nextAttempt}`;
  }),
  on('iteration.started', 'A042: only a running loop starts iterations', ({ status }) => {
    return status !== 'running' && `the loop is ${status}`;
  }),
  on('agent.started', 'an attempt runs its agent at most once', (ledger, data) => {
    if (!isOpen(ledger, data)) return 'that attempt is not open';
    return (ledger.open?.agentStarted === true || ledger.open?.run !== undefined) && 'it ran already';
  }),
  on('agent.finished', 'a run is recorded once, for the attempt it belongs to', (ledger, data) => {
    if (!isOpen(ledger, data)) return 'that attempt is not open';
    return ledger.open?.run !== undefined && 'its run is on record already';
  }),
  onAny(['gate.started', 'gate.finished'], 'the gate judges the run that was just made', (ledger, { fact }) => {
    if (fact.type !== 'gate.started' && fact.type !== 'gate.finished') return undefined;
    if (!isOpen(ledger, fact.data)) return 'that attempt is not open';
    if (ledger.open?.run === undefined) return 'the agent has not run';
    return ledger.open.gate !== undefined && 'the gate has spoken already';
  }),
  onAny(['iteration.finished', 'iteration.interrupted'], 'only an open attempt is closed', (ledger, { fact }) => {
    if (fact.type !== 'iteration.finished' && fact.type !== 'iteration.interrupted') return undefined;
    return !isOpen(ledger, fact.data) && 'that attempt is not open';
  }),
  on('loop.resumed', 'R3: a paused loop stays paused until somebody resumes it', ({ wishes }) => {
    return !wishes.resume && 'nobody asked for it';
  }),
  onAny(factTypes, 'A058: a fact that was written is never ignored', (_ledger, seen) => ignored(seen)),
];

function isOpen({ open }: Ledger, key: { readonly iteration: number; readonly attempt: number }): boolean {
  return open !== undefined && open.iteration === key.iteration && open.attempt === key.attempt;
}

const touchesStatus: ReadonlySet<FactType> = new Set([
  'loop.started',
  'loop.paused',
  'loop.resumed',
  'loop.completing',
  'loop.ended',
] as const);
const touchesAttempt: ReadonlySet<FactType> = new Set([
  'iteration.started',
  'hooks.finished',
  'agent.started',
  'agent.finished',
  'conditions.observed',
  'gate.started',
  'gate.finished',
  'iteration.finished',
  'iteration.interrupted',
] as const);

function ignored({ fact, before, after }: Observation): string | false {
  if (after.journal.seq !== fact.seq || after.journal.epoch !== fact.epoch)
    return 'its number or epoch was not taken over';
  if (touchesStatus.has(fact.type)) return before.status === after.status && `${fact.type} left the status alone`;
  if (touchesAttempt.has(fact.type))
    return before.position.current === after.position.current && `${fact.type} left the attempt alone`;
  if (fact.type === 'hooks.started') return !after.phase.endsWith('_hooks') && `the phase is ${after.phase}`;
  if (fact.type === 'loop_hooks.finished')
    return before.hooks.steps === after.hooks.steps && 'the step was not taken over';
  if (fact.type === 'end.decided') return after.hooks.ending === undefined && 'the end was not taken over';
  if (fact.type === 'wait.scheduled')
    return after.pending.wait?.until !== fact.data.until && 'the wait was not taken over';
  if (fact.type === 'loop.parked')
    return after.pending.wakeAt !== fact.data.wakeAt && 'when to go on was not taken over';
  if (fact.type === 'baseline.finished')
    return after.verification.baseline === undefined && 'the baseline was not taken over';
  if (fact.type === 'reboot.finished' && fact.data.ok) {
    return after.totals.stats.reboots !== before.totals.stats.reboots + 1 && 'the reboot was not counted';
  }
  return false;
}
