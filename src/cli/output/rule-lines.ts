import { isTerminal, type RuleStanding } from '../../core/index.ts';
import type { Status } from '../../protocol/index.ts';
import type { Paint } from './paint.ts';
import { oneLine, wrapLine } from './plain.ts';

const barWidth = 8;
const nameWidth = 18;
const indent = 2 + nameWidth + 1 + barWidth + 2;

/** How paint and width of a stream are passed along. */
export interface Canvas {
  readonly paint: Paint;
  readonly width: number;
}

/** What stands above the stop rules: those of a loop that is over only tell how near they were. */
export function rulesTitle(status: Status | 'idle'): string {
  return status !== 'idle' && isTerminal(status)
    ? 'stop rules, as they stood at the end'
    : 'stop rules, the nearest first';
}

/** The stop rules as a table: each with how near it is and its evidence. */
export function ruleLines(rules: readonly RuleStanding[], { paint, width }: Canvas): string[] {
  return rules.flatMap(({ rule, near, evidence, key, description }) => {
    const text = description === undefined ? evidence : `${description}: ${evidence}`;
    const [first = '', ...rest] = wrapLine(oneLine(text, 200), width - indent);
    const colour = colourOf(near, paint);
    const told = near === 0 ? paint.dim : (text: string) => text;
    return [
      `  ${(key ?? rule).padEnd(nameWidth)} ${colour(barOf(near))}  ${told(first)}`,
      ...rest.map((line) => `${' '.repeat(indent)}${told(line)}`),
    ];
  });
}

function barOf(near: number | null): string {
  if (near === null) return 'unknown'.padEnd(barWidth);
  // Something is never shown as nothing, and only a rule that is reached as full.
  const filled = near >= 1 ? barWidth : Math.min(barWidth - 1, Math.ceil(near * barWidth));
  return '█'.repeat(filled) + '·'.repeat(barWidth - filled);
}

function colourOf(near: number | null, paint: Paint): (text: string) => string {
  if (near === null || near < 0.7) return paint.dim;
  return near >= 1 ? paint.bad : paint.warn;
}
