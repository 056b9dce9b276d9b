import { bestText, doubtsOf, type Loop, resumeCommand } from '../../core/index.ts';
import type { Paint } from './paint.ts';
import { oneLine, shortDuration } from './plain.ts';

/** Protected files that the loop changed, which is for a person to judge. */
function changedTests({ protectedFiles: { changed } }: Loop, paint: Paint): string[] {
  if (changed.length === 0) return [];
  return [paint.warn(`  changed tests: ${oneLine(changed.join(', '), 300)}`)];
}

/** The iteration that came nearest to the end. */
function best(loop: Loop): string[] {
  const text = bestText(loop);
  return text === undefined ? [] : [`  best iteration: ${text}`];
}

function verified(loop: Loop, work: string, paint: Paint): string {
  const text = `✓ completed and verified, ${work}`;
  return doubtsOf(loop).length === 0 ? paint.good(text) : paint.warn(`${text}, but somebody should look at it`);
}

/** What the checks said is worth a second look, and why. */
function doubts(loop: Loop, paint: Paint): string[] {
  return doubtsOf(loop).map((doubt) => paint.warn(`  look at this: ${oneLine(doubt, 300)}`));
}

/** How a loop stands when the command that drove it is over, and what to do next. */
export function closingLines(loop: Loop, paint: Paint): string[] {
  const { stats, runningMs } = loop;
  const work = `${stats.iterations} ${stats.iterations === 1 ? 'iteration' : 'iterations'} in ${shortDuration(runningMs)}`;
  const why = loop.message === undefined ? '' : `: ${oneLine(loop.message, 300)}`;
  switch (loop.status) {
    case 'completed':
      return loop.verified
        ? [verified(loop, work, paint), ...changedTests(loop, paint), ...doubts(loop, paint)]
        : [paint.warn(`✓ completed but not verified, ${work}: the agent's word was taken for it`)];
    case 'paused':
      return [paint.warn(`‖ paused (${loop.reason ?? 'unknown'})${why}`), ...best(loop), `  ${work}; ${goOn(loop)}`];
    case 'idle':
    case 'running':
    case 'completing':
    case 'failed':
    case 'aborted':
    case 'crashed':
      return [
        paint.bad(`✗ ${loop.status} (${loop.reason ?? 'unknown'})${why}`),
        ...best(loop),
        loop.config.persistence.enabled ? `  ${work}; look closer with: ralphd explain ${loop.id}` : `  ${work}`,
      ];
  }
}

function goOn(loop: Loop): string {
  if (!loop.config.persistence.enabled) return 'it kept no state: start again with: ralphd run';
  const resume = resumeCommand(loop);
  return resume === undefined
    ? `nothing is lost. How to go on: ralphd explain ${loop.id}`
    : `nothing is lost. Go on with: ${resume}`;
}
