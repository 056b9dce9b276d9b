import { padAfter } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import type { RuleStanding, Status } from '../../protocol/index.ts';
import type { Paint } from './paint.ts';
import { oneLine, wrapLine } from './plain.ts';

const barWidth = 8;
const nameWidth = 18;
const indent = 2 + nameWidth + 1 + barWidth + 2;
/** Below this width evidence is hard to read in its column, so it goes below its rule. */
const minEvidence = 24;
const lowIndent = 4;

/** The colours and width of an output stream. */
export interface Canvas {
  readonly paint: Paint;
  readonly width: number;
}

/** The heading of the stop rules; for an ended loop they show how close each was. */
export function rulesTitle(status: Status | 'idle'): string {
  return status !== 'idle' && isTerminal(status) ? 'stop rules at the end' : 'stop rules, closest first';
}

/** The stop rules as a table: how close each one is, and its evidence. */
export function ruleLines(rules: readonly RuleStanding[], { paint, width }: Canvas): string[] {
  return rules.flatMap(({ rule, near, evidence, key, description }) => {
    const text = description === undefined ? evidence : `${description}: ${evidence}`;
    const shade = near === 0 ? paint.dim : (text: string) => text;
    const head = `  ${padAfter(key ?? rule, nameWidth)} ${colourOf(near, paint)(barOf(near))}`;
    if (width - indent < minEvidence) {
      const lines = wrapLine(oneLine(text, 200), width - lowIndent);
      return [head.trimEnd(), ...lines.map((line) => `${' '.repeat(lowIndent)}${shade(line)}`)];
    }
    const [first = '', ...rest] = wrapLine(oneLine(text, 200), width - indent);
    return [`${head}  ${shade(first)}`, ...rest.map((line) => `${' '.repeat(indent)}${shade(line)}`)];
  });
}

function barOf(near: number | null): string {
  if (near === null) return 'unknown'.padEnd(barWidth);
  // A value above 0 is never drawn as empty, and only a rule that is reached is drawn as full.
  const filled = near >= 1 ? barWidth : Math.min(barWidth - 1, Math.ceil(near * barWidth));
  return '█'.repeat(filled) + '·'.repeat(barWidth - filled);
}

function colourOf(near: number | null, paint: Paint): (text: string) => string {
  if (near === null || near < 0.7) return paint.dim;
  return near >= 1 ? paint.bad : paint.warn;
}
