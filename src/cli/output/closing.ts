import { bestResult, describeDoubts, explain, type Loop, plainResume, warningsOf } from '../../core/index.ts';
import { bestText } from '../words/best-iteration.ts';
import { adviceFor, resumeLine } from '../words/next-steps.ts';
import type { Paint } from './paint.ts';
import { oneLine, shortDuration } from './plain.ts';

/** The iteration that came closest to completion. */
function best(loop: Loop): string[] {
  const text = bestText(bestResult(loop));
  return text === undefined ? [] : [`  best iteration: ${text}`];
}

function verified(loop: Loop, work: string, paint: Paint): string {
  const text = `✓ completed and verified (proof: ${loop.outcome.proof ?? 'none'}), ${work}`;
  return describeDoubts(loop).length === 0 ? paint.good(text) : paint.warn(`${text}, with reservations`);
}

/** How work on a branch of its own gets back. */
function toLand({ id, origin: { worktree } }: Loop): string[] {
  return worktree === undefined ? [] : [`  to merge ${worktree.branch}: ralphd land ${id}`];
}

/** Doubts about the result, and warnings. */
function doubts(loop: Loop, paint: Paint): string[] {
  return [
    ...describeDoubts(loop).map(({ message }) => paint.warn(`  check this: ${oneLine(message, 300)}`)),
    ...warningsOf(loop).map((warning) => paint.warn(`  warning: ${oneLine(warning, 300)}`)),
  ];
}

/** The state of a loop when the command that ran it ends, and the next step. */
export function closingLines(loop: Loop, paint: Paint): string[] {
  const { stats, runningMs } = loop.totals;
  const work = `${stats.iterations} ${stats.iterations === 1 ? 'iteration' : 'iterations'} in ${shortDuration(runningMs)}`;
  const why = loop.outcome.message === undefined ? '' : `: ${oneLine(loop.outcome.message, 300)}`;
  switch (loop.status) {
    case 'completed':
      return [
        loop.outcome.verified
          ? verified(loop, work, paint)
          : paint.warn(`✓ completed but not verified (proof: none), ${work}: accepted without verification`),
        ...doubts(loop, paint),
        ...toLand(loop),
        ...(loop.config.persistence.enabled ? [`  for the report: ralphd report ${loop.id}`] : []),
      ];
    case 'paused':
      return [
        paint.warn(`‖ paused (${loop.outcome.reason ?? 'unknown'})${why}`),
        ...best(loop),
        `  ${work}; ${nextStepText(loop)}`,
        ...otherWays(loop),
      ];
    case 'idle':
    case 'running':
    case 'completing':
    case 'failed':
    case 'aborted':
    case 'crashed':
      return [
        paint.bad(`✗ ${loop.status} (${loop.outcome.reason ?? 'unknown'})${why}`),
        ...best(loop),
        loop.config.persistence.enabled ? `  ${work}; for details: ralphd explain ${loop.id}` : `  ${work}`,
      ];
  }
}

function nextStepText(loop: Loop): string {
  if (!loop.config.persistence.enabled)
    return 'state was not kept (persistence.enabled is false). Start again: ralphd run';
  const resume = plainResume(loop);
  return resume === undefined
    ? `nothing was lost. For the next step: ralphd explain ${loop.id}`
    : `nothing was lost. Resume: ${resumeLine(resume, loop.id)}`;
}

/** A resume that accepts what paused the loop, for a task that fixes it. */
function otherWays(loop: Loop): string[] {
  return explain(loop, { nowMs: 0 })
    .next.filter((step) => step.step === 'resume' && step.accept === 'broken_baseline')
    .map((step) => adviceFor(step, loop.id))
    .map(({ command, does }) => `  or ${does}: ${command}`);
}
