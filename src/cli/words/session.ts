import type { DueReboot, SessionHealth } from '../../core/index.ts';
import type { RebootCause } from '../../protocol/index.ts';

/** The agent's session in one line; undefined if there is nothing worth showing. */
export function sessionText(session: SessionHealth | undefined, loopId: string): string | undefined {
  if (session === undefined) return undefined;
  const { iterations, isContinued, context, isDegraded, advice } = session;
  const isFull = context?.level === 'warning' || context?.level === 'redline';
  if (!isContinued && !isFull) return undefined;
  const used =
    context && `${context.source === 'estimated' ? 'about ' : ''}${Math.round(context.percent)}% of its context used`;
  const parts = [
    `${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`,
    ...(used === undefined ? [] : [`${used} (${context?.level})`]),
    ...(isDegraded ? ['its work gets worse'] : []),
  ];
  return `${parts.join(', ')}${adviceTexts[advice](loopId)}`;
}

const adviceTexts: Readonly<Record<SessionHealth['advice'], (loopId: string) => string>> = {
  continue: () => '',
  finish_and_reboot: () => ': a new session is advisable soon',
  immediate_reboot: () => ': a new session is due before the next iteration',
  manual: (loopId) => `: a new session is advisable; start one with: ralphd reboot ${loopId}`,
};

/** Why a reboot that is due does not happen yet, as a clause. */
export function heldText({ cause, heldBy }: Required<DueReboot>): string {
  return `a new session is due because ${becauseTexts[cause]}, but ${holdTexts[heldBy]}`;
}

const becauseTexts: Readonly<Record<RebootCause, string>> = {
  redline: 'the context is full',
  degradation: 'the work gets worse',
  iteration_limit: 'the session had enough iterations',
  session_timeout: 'the session is too old',
  pattern: "the agent's text matches a pattern",
  manual: 'somebody asked for it',
  error: 'its latest two runs failed',
};

const holdTexts: Readonly<Record<Required<DueReboot>['heldBy'], string>> = {
  failure: 'the last try failed',
  minIterations: 'the session is still new (session.reboot.minIterations)',
  minInterval: 'the last reboot was only a short time ago (session.reboot.minInterval)',
  maxPerHour: 'there were too many reboots in the last hour (session.reboot.maxPerHour)',
};
