import { bestText, type Loop, resumeCommand, toldDoubts, warningsOf } from '../../core/index.ts';
import type { Paint } from './paint.ts';
import { oneLine, shortDuration } from './plain.ts';

/** The iteration that came nearest to the end. */
function best(loop: Loop): string[] {
  const text = bestText(loop);
  return text === undefined ? [] : [`  best iteration: ${text}`];
}

function verified(loop: Loop, work: string, paint: Paint): string {
  const text = `✓ completed and verified (proof: ${loop.proof ?? 'none'}), ${work}`;
  return toldDoubts(loop).length === 0 ? paint.good(text) : paint.warn(`${text}, but look at this`);
}

/** Why the result is worth a second look, and what else should be known of it. */
function doubts(loop: Loop, paint: Paint): string[] {
  return [
    ...toldDoubts(loop).map(({ message }) => paint.warn(`  look at this: ${oneLine(message, 300)}`)),
    ...warningsOf(loop).map((warning) => paint.warn(`  warning: ${oneLine(warning, 300)}`)),
  ];
}

/** How a loop stands when the command that drove it is over, and what to do next. */
export function closingLines(loop: Loop, paint: Paint): string[] {
  const { stats, runningMs } = loop;
  const work = `${stats.iterations} ${stats.iterations === 1 ? 'iteration' : 'iterations'} in ${shortDuration(runningMs)}`;
  const why = loop.message === undefined ? '' : `: ${oneLine(loop.message, 300)}`;
  switch (loop.status) {
    case 'completed':
      return loop.verified
        ? [verified(loop, work, paint), ...doubts(loop, paint)]
        : [
            paint.warn(`✓ completed but not verified (proof: none), ${work}: the agent's word was taken for it`),
            ...doubts(loop, paint),
          ];
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
