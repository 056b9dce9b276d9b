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
  /** What can be done about it, the likeliest first. */
  readonly next: readonly NextStep[];
}

/** The part of an explanation that depends on what the loop is doing. */
export type Account = Omit<Explanation, 'rules' | 'pace'>;

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
