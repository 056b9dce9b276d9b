import { roughDuration } from '../../base/index.ts';
import type { AskReason, FactData, Mode, QuestionPoint, SwitchMoment } from '../../protocol/index.ts';
import { senderText } from './sender.ts';

const reasons: Readonly<Record<AskReason, string>> = {
  attended: 'the loop is attended',
  breakpoint: 'there is a breakpoint',
  interval: 'nobody has decided for a while',
  files_changed: 'many files have changed',
  test_regression: 'more tests fail than before',
  failures: 'several iterations in a row failed',
  pattern: "the agent's output matches one of your patterns",
  completion: 'the task is done',
};

/** Why a loop asks, as a clause. */
export function reasonsText(why: readonly AskReason[]): string {
  return why.map((reason) => reasons[reason]).join(', ');
}

/** What a loop asks, as a question. */
export function questionText({
  point,
  iteration,
}: {
  readonly point: QuestionPoint;
  readonly iteration: number;
}): string {
  return point === 'completion' ? `Accept iteration ${iteration} as the result?` : `Start iteration ${iteration}?`;
}

/** When a loop continues without an answer, if it does. */
export function patienceText(approveAt: string | undefined, nowMs: number): string {
  if (approveAt === undefined) return 'waits for a decision';
  return `continues by itself in ${roughDuration(Math.max(0, Date.parse(approveAt) - nowMs))}`;
}

/** What was decided, as a clause. */
export function decisionText({ decision, point, by, prompt }: FactData<'question.answered'>): string {
  if (by === 'timeout') return 'nobody decided in time; the loop continues';
  if (decision === 'skip') return point === 'completion' ? 'not accepted; the loop goes on' : 'skip this iteration';
  if (point === 'completion') return 'accepted';
  return prompt === undefined ? 'continue' : 'continue with an edited prompt';
}

const moments: Readonly<Record<SwitchMoment, string>> = {
  now: 'now',
  iteration: 'after the current iteration',
  pause: 'when the loop is paused',
};

/** A mode, and the one that follows it. */
export function modeText(mode: Mode, next: { readonly mode: Mode; readonly when: SwitchMoment } | undefined): string {
  return next === undefined ? mode : `${mode}; ${next.mode} ${moments[next.when]}`;
}

/** A switch of modes: what it is now, what it was, and why. */
export function modeChangeText({ from, to, cause, why = [], sender }: FactData<'mode.changed'>): string {
  const because = why.length === 0 ? '' : `, because ${reasonsText(why)}`;
  const who = cause === 'schedule' ? ', by the schedule' : by(sender);
  return `${to}, was ${from}${because}${who}`;
}

/** Who decided something, unless it was at this terminal. */
export function by(sender: FactData<'question.answered'>['sender']): string {
  return sender === undefined || sender.pid === process.pid ? '' : `, by ${senderText(sender)}`;
}
