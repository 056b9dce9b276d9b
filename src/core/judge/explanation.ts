import type { ProofLevel } from '../../protocol/index.ts';
import type { ToldDoubt } from '../gate/doubt-words.ts';
import type { ShownLoop } from '../loop/loop.ts';
import type { Pace } from './pace.ts';
import type { RuleStanding } from './rule-standing.ts';

/** Why a loop stands where it stands, from facts alone. */
export interface Explanation {
  /** One sentence. */
  readonly headline: string;
  /** What led to it, or what would end it next. */
  readonly because: readonly string[];
  /** What was seen that bears it out. */
  readonly evidence: readonly string[];
  /** Every stop rule, the nearest first; none for a loop that is done. */
  readonly rules: readonly RuleStanding[];
  readonly pace: Pace;
  /** Why somebody should look twice at the result. */
  readonly doubts: readonly ToldDoubt[];
  /** What else somebody should know about the checks. */
  readonly warnings: readonly string[];
  /** How far the proof reaches; none before a loop has completed. */
  readonly proof: ProofLevel;
  /** What can be done about it, the likeliest first. */
  readonly next: readonly NextStep[];
}

/** The part of an explanation that depends on what the loop is doing. */
export type Account = Pick<Explanation, 'headline' | 'because' | 'evidence' | 'next'>;

/** A command that gets a person on, and what it does. */
export interface NextStep {
  readonly command: string;
  readonly does: string;
}

/** A command about a loop. */
export function step(loop: Pick<ShownLoop, 'id'>, words: string, does: string): NextStep {
  const [name = '', ...more] = words.split(' ');
  return { command: ['ralphd', name, ...(loop.id === '' ? [] : [loop.id]), ...more].join(' '), does };
}

/** The same task again, as a new loop. */
export function again(options: string, does: string): NextStep {
  return { command: `ralphd run "TASK"${options === '' ? '' : ` ${options}`}`, does };
}
