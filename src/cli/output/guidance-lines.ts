import { scrub } from '../../base/index.ts';
import type { Guidance } from '../../core/index.ts';
import { senderText } from '../words/sender.ts';
import { localInstant } from './instants.ts';
import { wrapLine } from './plain.ts';

/** What the lines of a list depend on besides the guidance. */
export interface GuidanceSetting {
  /** The iteration under way, if one is. */
  readonly current: number | undefined;
  readonly nowMs: number;
  readonly width: number;
}

const indent = '   ';

/** A list of guidance: a heading for each piece, and its text below. */
export function guidanceLines(guidance: readonly Guidance[], setting: GuidanceSetting): readonly string[] {
  return guidance.flatMap((each) => [
    ...wrapLine(heading(each, setting), setting.width),
    ...scrub(each.text)
      .split('\n')
      .flatMap((line) => wrapLine(line.trimEnd(), setting.width - indent.length))
      .map((line) => `${indent}${line}`.trimEnd()),
  ]);
}

function heading({ number, standing, at, sender, delivered }: Guidance, { current, nowMs }: GuidanceSetting): string {
  const since = at === undefined ? '' : `, since ${localInstant(Date.parse(at), nowMs)}`;
  const by = sender === undefined ? '' : `, by ${senderText(sender)}`;
  return `${number}. ${standing ? 'standing' : 'once'}${since}${by}, ${deliveredText(delivered, current)}`;
}

function deliveredText(delivered: Guidance['delivered'], current: number | undefined): string {
  if (delivered === undefined) return 'not delivered yet';
  const { first, last } = delivered;
  const underWay = last === current ? ' (under way)' : '';
  return first === last ? `in iteration ${first}${underWay}` : `in iterations ${first} to ${last}${underWay}`;
}
