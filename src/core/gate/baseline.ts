import type { Check, Obstacle, Verdict } from '../../protocol/index.ts';

/** What the checks showed before the first iteration, as far as it says whether they can ever pass. */
export interface RanBaseline {
  readonly checks: readonly Check[];
  readonly obstacle?: Obstacle | undefined;
}

/** Verdicts that say nothing about the work: a check that gives one of them has not been able to judge anything. */
const broken: ReadonlySet<Verdict> = new Set(['unverifiable', 'not_found', 'not_executable', 'timed_out']);

/** Whether the checks, as they are before any work, could not judge anything: then no work can make them pass. */
export function isBrokenBaseline(baseline: RanBaseline): boolean {
  return baseline.obstacle !== undefined || brokenCheck(baseline) !== undefined;
}

/** Why the checks cannot pass as they are, and what to do about it. */
export function brokenBaselineMessage({ checks, obstacle }: RanBaseline): string {
  if (obstacle !== undefined) return sentences('The checks cannot be run', obstacle);
  const check = brokenCheck({ checks });
  if (check === undefined) return 'The checks cannot pass as they are.';
  const { command, verdict, exitCode } = check;
  const exit = exitCode === undefined || exitCode === 0 ? '' : ` (exit ${exitCode})`;
  return `The check "${command}" ${reasons[verdict] ?? 'could not be run'}${exit}${lastLine(check)}. ${allowHint}`;
}

/** An obstacle as a sentence, with its fix. */
export function obstacleMessage(obstacle: Obstacle): string {
  return sentences('The checks could not be run twice in a row', obstacle);
}

const allowHint =
  'Fix it and resume; if the task is to write or repair this check, resume with "--allow-broken-baseline".';

const reasons: Readonly<Partial<Record<Verdict, string>>> = {
  not_found: 'was not found',
  not_executable: 'cannot be executed',
  timed_out: 'did not end in time (verifyTimeout)',
  unverifiable: 'proves nothing',
};

function brokenCheck({ checks }: RanBaseline): Check | undefined {
  return checks.find(({ verdict }) => broken.has(verdict));
}

function sentences(what: string, { message, fix }: Obstacle): string {
  return `${what}: ${message.replace(/\.$/, '')}. ${fix}`;
}

/** The last thing that a check printed, which mostly names the cause. */
function lastLine({ output }: Check): string {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.replace(/\.$/, '').slice(0, 200)}`;
}
