import { phraseExplanation } from '../../../src/cli/words/explanation.ts';
import { explain, paceOf } from '../../../src/core/index.ts';
import type { Progress, StopReason } from '../../../src/protocol/index.ts';
import { type Invariant, on, onAny } from './invariant.ts';

/** Scores and explanations are in range, never empty, and agree with the facts. */
export const judgementInvariants: readonly Invariant[] = [
  on('iteration.finished', 'B050: an iteration has a score above 0 exactly when it made progress', (_ledger, data) => {
    const { made, score } = data.progress;
    if (made === null) return score !== undefined && `a score of ${score} for what could not be told`;
    return !(made ? inBounds(score, 0.1) : score === 0) && `a score of ${score} for progress ${made}`;
  }),
  on('iteration.finished', 'A125: the newest twenty scores are kept, the last one last', (_ledger, data, seen) => {
    const { recentScores } = seen.after.progress;
    if (recentScores.length > 20 || !recentScores.every((score) => inBounds(score, 0))) return recentScores.join(' ');
    const counts = data.status !== 'skipped' && data.progress.made !== null;
    return counts && recentScores.at(-1) !== scoreOf(data.progress) && `${recentScores.at(-1)} is the last one`;
  }),
  on(
    'iteration.finished',
    'B051: the pace is within its bounds and fits the streak',
    ({ streaks }, data, { after }) => {
      const { velocity, streak, recommendation } = paceOf(after);
      if (velocity !== null && !inBounds(velocity, 0)) return `a velocity of ${velocity}`;
      const expected = data.status === 'skipped' || data.progress.made === null ? streaks.noProgress : streak;
      if (streak !== expected) return `a streak of ${streak}`;
      return (velocity ?? 0) > 0.1 && recommendation !== 'continue' && `${recommendation} at ${velocity}`;
    },
  ),
  onAny(
    [
      'agent.started',
      'agent.finished',
      'gate.finished',
      'iteration.finished',
      'wait.scheduled',
      'loop.paused',
      'loop.ended',
    ],
    'every state is explained, with a next step',
    (_ledger, { after, world }) => {
      // Only in every fourth loop: an explanation costs as much as the rest of the oracle.
      if (world.seed % 4 !== 0) return undefined;
      const explanation = explain(after, { nowMs: world.wallMs });
      const { headline, because, evidence, next, rules } = phraseExplanation(explanation, after);
      const texts = [headline, ...because, ...evidence, ...next.flatMap(({ command, does }) => [command, does])];
      if (because.length === 0 || next.length === 0) return `${headline} and nothing more`;
      const near = rules.map((rule) => rule.near ?? -1);
      if (near.some((share, index) => share > (near[index - 1] ?? 1))) return `the rules stand as ${near.join(' ')}`;
      return texts.find((text) => text.trim() === '' || /undefined|NaN|Infinity/u.test(text));
    },
  ),
  on('loop.ended', 'an explanation of an end names the rule that ended it first', (ledger, { reason }, { after }) => {
    if (ledger.triggered !== reason || !measured.has(reason)) return undefined;
    const reached = explain(after, { nowMs: 0 }).rules.filter(({ near }) => near === 1);
    return !reached.some(({ rule }) => rule === reason) && `${reason} is not among those that were reached`;
  }),
];

/** Rules whose values stay the same after the end. */
const measured: ReadonlySet<StopReason> = new Set(['max_iterations', 'no_progress', 'iteration_failures'] as const);

function inBounds(score: number | undefined, least: number): boolean {
  return score !== undefined && score >= least && score <= 1;
}

function scoreOf({ made, score = made ? 1 : 0 }: Progress): number {
  return score;
}
