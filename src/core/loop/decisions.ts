import type { Fact, QuestionPoint } from '../../protocol/index.ts';
import { iterationAt, modeOf, patienceMs, reasonsToAsk, triggersToAttend } from '../rules/asking.ts';
import { dueSwitch, nextSwitch } from '../rules/mode-schedule.ts';
import { waitOverAt } from '../rules/waiting.ts';
import type { Moment } from '../settle/settle.ts';
import type { Loop } from '../state/loop.ts';
import type { Question } from '../state/supervision.ts';

/** What has to happen before a loop may go on at a point: something to record, or a person to wait for. */
export type Asking =
  | { readonly record: Fact }
  /** Wait for a decision, until an instant where the loop then continues by itself; look again when the mode changes. */
  | { readonly ask: { readonly until?: string; readonly wakeAt?: string } };

/** Whether a question is open at a point, or has to be asked first. */
export function isAsking(loop: Loop, point: QuestionPoint): boolean {
  if (openQuestion(loop, point) !== undefined) return true;
  return reasonsToAsk(loop, point).length > 0 || (point === 'iteration' && triggersToAttend(loop).length > 0);
}

/** What has to happen before the loop may go on at a point; undefined if nothing has to. */
export function askFirst(loop: Loop, point: QuestionPoint, { nowMs, elapsedMs }: Moment): Asking | undefined {
  const question = openQuestion(loop, point);
  // An earlier owner's question is asked again, so that whoever took over has the whole time to decide.
  if (question !== undefined && question.epoch === loop.journal.epoch) {
    const { approveAt: until, askedAt: since } = question;
    const wake = wakeForSwitch(loop, nowMs);
    if (until === undefined) return { ask: wake };
    const overMs = waitOverAt({ until, since, cause: 'unknown', message: '' }, nowMs);
    if (overMs <= nowMs) return { record: approvedByTimeout(question) };
    return { ask: { until: new Date(overMs).toISOString(), ...wake } };
  }
  const triggers = point === 'iteration' ? triggersToAttend(loop) : [];
  if (triggers.length > 0) return { record: triggered(loop, triggers) };
  const why = reasonsToAsk(loop, point);
  if (why.length === 0) return undefined;
  const patience = patienceMs(loop);
  const approveAt = patience === undefined ? {} : { approveAt: new Date(nowMs + patience).toISOString() };
  const data = { point, iteration: iterationAt(loop, point), why: [...why], ...approveAt, elapsedMs };
  return { record: { type: 'question.asked', data } };
}

/** What a person decided about the open question. It is recorded at once, because a switch of modes closes a question. */
export function answered(loop: Loop): Fact | undefined {
  const { decision } = loop.commands.requests;
  const question = openQuestion(loop, loop.position.earned === undefined ? 'iteration' : 'completion');
  if (question === undefined || decision === undefined) return undefined;
  const { decision: what, prompt, sender } = decision;
  const more = { ...(prompt === undefined ? {} : { prompt }), ...(sender && { sender }) };
  return decided(question, { decision: what, by: 'person', ...more });
}

/** The answer that a question gets when nobody gave one in time. */
export function approvedByTimeout(question: Pick<Question, 'point' | 'iteration'>): Fact {
  return decided(question, { decision: 'continue', by: 'timeout' });
}

/** The switch of modes that is due according to the schedule. */
export function scheduledSwitch(loop: Loop, nowMs: number): Fact | undefined {
  const from = modeOf(loop);
  const due = dueSwitch(loop, from, nowMs);
  return due && { type: 'mode.changed', data: { from, to: due.mode, cause: 'schedule' } };
}

/** A question may be settled by a switch to another mode. */
function wakeForSwitch(loop: Loop, nowMs: number): { readonly wakeAt?: string } {
  const next = nextSwitch(loop, modeOf(loop), nowMs);
  return next === undefined ? {} : { wakeAt: new Date(next.atMs).toISOString() };
}

/** The switch of modes that somebody asked for. */
export function switchedMode(loop: Loop): Fact | undefined {
  const { mode } = loop.commands.requests;
  if (mode === undefined) return undefined;
  const { mode: to, sender } = mode;
  return { type: 'mode.changed', data: { from: modeOf(loop), to, cause: 'command', ...(sender && { sender }) } };
}

function openQuestion(loop: Loop, point: QuestionPoint): Question | undefined {
  const { question } = loop.supervision;
  return question?.point === point && question.iteration === iterationAt(loop, point) ? question : undefined;
}

type Decision = Omit<Extract<Fact, { type: 'question.answered' }>['data'], 'point' | 'iteration'>;

function decided({ point, iteration }: Pick<Question, 'point' | 'iteration'>, decision: Decision): Fact {
  return { type: 'question.answered', data: { point, iteration, ...decision } };
}

function triggered(loop: Loop, why: ReturnType<typeof triggersToAttend>): Fact {
  return { type: 'mode.changed', data: { from: modeOf(loop), to: 'attended', cause: 'trigger', why: [...why] } };
}
