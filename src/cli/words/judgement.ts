import type { InspectedIteration } from '../../app/index.ts';
import { lastAttempt } from '../../core/index.ts';

/** The reasons for the judgement of an iteration, one clause each, most decisive first. */
export function judgementTexts({ account, status }: InspectedIteration): readonly string[] {
  const { finished } = account;
  const last = lastAttempt(account);
  if (last === undefined) return [];
  if (finished === undefined) return [openText(last, status)];
  const { progress, failure, completes } = finished;
  return [
    ...(completes === 'verified' ? ['the checks prove that the task is done'] : []),
    ...(completes === 'trusted' ? ["the agent's claim was accepted without verification"] : []),
    ...(failure === undefined ? [] : [`failed (${failure.class}): ${failure.message}`]),
    ...(finished.status === 'skipped' ? ['it was skipped on request'] : []),
    ...(finished.status === 'timed_out' ? ['it took longer than the iteration timeout'] : []),
    claimText(last),
    progressText(progress),
  ];
}

type Attempt = NonNullable<ReturnType<typeof lastAttempt>>;

function openText({ interrupted, gate, gateStartedAt, run, agentStartedAt }: Attempt, status: string): string {
  if (interrupted !== undefined) return `interrupted (${interrupted.cause}): ${interrupted.message}`;
  if (gate !== undefined) return 'the checks have finished, and it is being judged';
  if (gateStartedAt !== undefined) return 'the checks are running';
  if (run !== undefined) return 'the agent has finished, and its work is being judged';
  const isAlive = status === 'running';
  if (agentStartedAt !== undefined) return isAlive ? 'the agent is working' : 'it stopped while the agent was working';
  return isAlive ? 'it is being prepared' : 'it stopped before the agent started';
}

function claimText({ run, gate }: Attempt): string {
  const claimed = run?.claimed === true ? 'the agent claimed that the task is done' : 'the agent made no claim';
  if (gate === undefined) return `${claimed}, and the checks did not run`;
  return `${claimed}; verdict of the checks: ${gate.verdict.replaceAll('_', ' ')}`;
}

function progressText({
  made,
  evidence,
  score,
}: NonNullable<InspectedIteration['account']['finished']>['progress']): string {
  const word =
    made === null ? 'whether it made progress is unknown' : made ? 'it made progress' : 'it made no progress';
  const amount = score === undefined ? '' : ` (score ${score.toFixed(2)} of 1)`;
  return `${word}${amount}${evidence.length === 0 ? '' : `: ${evidence.join(', ')}`}`;
}
