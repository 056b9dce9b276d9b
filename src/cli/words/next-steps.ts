import type { NextStep, ResumeStep, StartStep } from '../../core/index.ts';
import { limitOf } from '../../protocol/index.ts';
import { shortId } from './best-iteration.ts';
import { type Raised, raiseOptions } from './limits.ts';
import { reasonText } from './reasons.ts';

/** A command for a person to run, and what it does. */
export interface Advice {
  readonly command: string;
  readonly does: string;
}

/** A next step as a command line. */
export function adviceFor(step: NextStep, loopId: string): Advice {
  switch (step.step) {
    case 'resume':
      return { command: resumeLine(step, loopId), does: resumeText(step) };
    case 'start':
      return { command: startLine(step, loopId), does: startText(step) };
    case 'compare':
      return comparison(step);
    case 'abort':
      return {
        command: commandLine('abort', loopId),
        does: step.endsAgent === true ? 'end the loop and its agent permanently' : 'end the loop permanently',
      };
    case 'guide':
      return { command: commandLine('guide', loopId, ['"TEXT"']), does: 'tell the agent what to try instead' };
    case 'agents':
      return { command: 'ralphd agents', does: 'see which agents are installed and what is wrong with them' };
    case 'continue':
    case 'skip':
    case 'retry':
    case 'status':
    case 'report':
    case 'pause':
    case 'recover':
      return { command: commandLine(step.step, loopId), does: purposes[step.step] };
  }
}

const purposes = {
  continue: 'approve what it asks',
  skip: 'do not run this iteration, or do not accept this result',
  retry: 'stop waiting and try again now',
  status: 'see the details',
  report: 'see what was done and how well it is proven',
  pause: 'pause after the current iteration',
  recover: 'see what can be recovered',
} as const;

/** The command that resumes a loop. */
export function resumeLine(
  { raise, accept }: Pick<ResumeStep, 'accept'> & { readonly raise: readonly Raised[] },
  loopId: string,
): string {
  const accepted = { conditions: ['--accept-conditions'], broken_baseline: ['--allow-broken-baseline'] } as const;
  return commandLine('resume', loopId, [...(accept === undefined ? [] : accepted[accept]), ...raiseOptions(raise)]);
}

function resumeText({ raise, accept, conditions, because, fix }: ResumeStep): string {
  if (accept === 'broken_baseline') return 'start anyway, if the task is to write or repair the checks';
  if (conditions !== undefined) return `${raiseFirst(conditions)}; this command applies them`;
  if (because === 'checks_broken') return 'run the checks again once they are fixed';
  if (fix !== undefined) return fix === '' ? 'fix the problem and continue' : fix;
  if (raise.length > 1) return 'raise every limit that is used up';
  return because === undefined
    ? 'continue where it stopped, with the agent if it is still running'
    : reasonText(because).advice;
}

/** A new loop: one that continues an ended loop, unless the task needs a check first. */
function startLine({ raise, verify, continues, because, conditions }: StartStep, loopId: string): string {
  if (verify === true) return ['ralphd run "TASK" --verify CMD', ...raiseOptions(raise)].join(' ');
  if (!continues) return ['ralphd run "TASK"', ...raiseOptions(raise)].join(' ');
  // Raising a limit already implies a new loop.
  const isRaised = raise.length > 0 && limitOf(because) !== undefined;
  const accepted = conditions === undefined ? [] : ['--accept-conditions'];
  return commandLine('resume', loopId, [...(isRaised ? [] : ['--as-new']), ...accepted, ...raiseOptions(raise)]);
}

function startText({ verify, continues, conditions, because, fix }: StartStep): string {
  const kept = 'the work so far is in the work tree';
  if (verify === true) return continues ? 'have the next result verified' : 'start a loop';
  if (conditions !== undefined) return `${raiseFirst(conditions)}; ${kept}`;
  if (fix !== undefined) return `${fix === '' ? 'Fix the problem.' : fix} Then continue in a new loop; ${kept}`;
  if (because === undefined || because === 'checks_broken') return `continue in a new loop; ${kept}`;
  return `${reasonText(because).advice}, and continue in a new loop; ${kept}`;
}

function raiseFirst(conditions: readonly string[]): string {
  return `first raise ${conditions.join(' and ')} in "stopConditions" of your configuration`;
}

function comparison({ commit, iteration }: Extract<NextStep, { step: 'compare' }>): Advice {
  const id = shortId(commit);
  const does = `see what changed since iteration ${iteration}, the best one; "git restore --source=${id} ." restores its files`;
  return { command: `git diff ${id}`, does };
}

function commandLine(name: string, loopId: string, more: readonly string[] = []): string {
  return ['ralphd', name, ...(loopId === '' ? [] : [loopId]), ...more].join(' ');
}
