import type { Check, Obstacle, Verdict } from '../../protocol/index.ts';

interface BaselineResult {
  readonly checks: readonly Check[];
  readonly obstacle?: Obstacle | undefined;
}

/** Verdicts that say nothing about the work, because the check could not judge it. */
const broken: ReadonlySet<Verdict> = new Set(['unverifiable', 'not_found', 'not_executable', 'timed_out']);

/** Whether the checks could not judge anything before the first iteration: then no work can make them pass. */
export function isBrokenBaseline(baseline: BaselineResult): boolean {
  return baseline.obstacle !== undefined || brokenCheck(baseline) !== undefined;
}

export function brokenBaselineMessage({ checks, obstacle }: BaselineResult): string {
  if (obstacle !== undefined) return sentences('The checks cannot be run', obstacle);
  const check = brokenCheck({ checks });
  if (check === undefined) return 'The checks cannot pass as they are.';
  const { command, verdict, exitCode } = check;
  const exit = exitCode === undefined || exitCode === 0 ? '' : ` (exit ${exitCode})`;
  return `The check "${command}" ${reasons[verdict] ?? 'could not be run'}${exit}${lastLine(check)}. ${allowHint}`;
}

export function obstacleMessage(obstacle: Obstacle): string {
  return sentences('Twice in a row, the checks could not be run', obstacle);
}

const allowHint = 'Fix it and resume; if the task is to write or repair this check, set "allowBrokenBaseline".';

const reasons: Readonly<Partial<Record<Verdict, string>>> = {
  not_found: 'was not found',
  not_executable: 'cannot be executed',
  timed_out: 'did not end in time (verifyTimeout)',
  unverifiable: 'proves nothing',
};

function brokenCheck({ checks }: BaselineResult): Check | undefined {
  return checks.find(({ verdict }) => broken.has(verdict));
}

function sentences(what: string, { message, fix }: Obstacle): string {
  return `${what}: ${message.replace(/\.$/, '')}. ${fix}`;
}

/** The last line of the output: it usually names the cause. */
function lastLine({ output }: Check): string {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.replace(/\.$/, '').slice(0, 200)}`;
}
