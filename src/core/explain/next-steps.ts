import { limitOf } from '../../protocol/index.ts';
import { amountUsed, boundOf, reachedLimits } from '../rules/limits.ts';
import { standings } from '../rules/stop-rules.ts';
import type { Loop } from '../state/loop.ts';
import type { Raise, ResumeStep, StartStep } from './explanation.ts';

/** How a paused loop continues; undefined when a condition that is met would pause it again at once. */
export function plainResume(loop: Loop): ResumeStep | undefined {
  if (loop.status === 'paused' && metLimits(loop).length > 0) return undefined;
  return { step: 'resume', raise: raisesFor(loop) };
}

/** How a paused loop continues, whatever has to be raised first. */
export function resumeStep(loop: Loop): ResumeStep {
  return (
    plainResume(loop) ?? {
      step: 'resume',
      raise: raisesFor(loop),
      accept: 'conditions',
      conditions: metLimits(loop),
    }
  );
}

/** How the task continues in a new loop after a rule ended this one. */
export function startStep(loop: Loop): StartStep {
  const { reason = 'iteration_failures' } = loop.outcome;
  const { obstacle } = loop.verification.latest?.result ?? {};
  const conditions = metLimits(loop);
  if (limitOf(reason) !== undefined && conditions.length > 0) {
    return { step: 'start', raise: raisesFor(loop), conditions, continues: true };
  }
  if (obstacle !== undefined) return { step: 'start', raise: [], fix: obstacle.fix.trim(), continues: true };
  return { step: 'start', raise: raisesFor(loop), because: reason, continues: true };
}

/** Every limit that is reached, with twice the room. */
function raisesFor(loop: Loop): readonly Raise[] {
  return reachedLimits(loop).map((limit) => ({
    setting: limit.setting,
    to: 2 * Math.max(boundOf(limit, loop.config) ?? 0, amountUsed(limit, loop)),
  }));
}

/** The limits that were written as conditions and are reached, such as `stop.0`. */
function metLimits(loop: Loop): readonly string[] {
  return standings(loop).flatMap(({ kind, key, near }) =>
    kind === 'limit' && key !== undefined && near === 1 ? [key] : [],
  );
}
